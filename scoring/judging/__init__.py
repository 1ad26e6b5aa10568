"""The local judge, the ceiling on a model's verdict, and the filters a model may propose."""
