-- Upload the file first:
--   PUT file://sqlassay-udf.zip @sqlassay AUTO_COMPRESS = FALSE;
CREATE OR REPLACE FUNCTION assay(question VARCHAR, sql VARCHAR)
RETURNS VARIANT
LANGUAGE PYTHON
RUNTIME_VERSION = '3.11'
IMPORTS = ('@sqlassay/sqlassay-udf.zip')
HANDLER = 'sqlassay.udf.assay';

-- SELECT event_id, assay(question, sql):score::FLOAT AS score, assay(question, sql):unscored::VARCHAR AS unscored
-- FROM answers;
