"""Reads what a company writes down about its database: Markdown, comments in its DDL, and dbt's `schema.yml`.

Pure. Text in, `DictionaryFindings` out: conditions that come with tables, stored codes, units and words for columns.
A sentence that can be read in two ways is left out: a person accepts what is proposed, and nobody can accept a guess.
"""
