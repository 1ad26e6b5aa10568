-- BigQuery installs packages by name: publish the wheel of `python -m build` in the index that your project uses.
CREATE OR REPLACE FUNCTION assays.assay(question STRING, sql STRING)
RETURNS STRING
LANGUAGE python
OPTIONS (entry_point = 'assay', runtime_version = 'python-3.11', packages = ['sqlassay'])
AS r"""
from sqlassay.udf import assay_json


def assay(question, sql):
    return assay_json(question, sql)
""";

-- SELECT event_id, CAST(JSON_VALUE(assays.assay(question, sql), '$.score') AS FLOAT64) AS score FROM assays.answers;
