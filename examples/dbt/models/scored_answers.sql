-- each answer is scored once: an incremental run scores the new ones alone
{{ config(materialized='incremental', unique_key='event_id') }}

select event_id, agent, question, sql, assay(question, sql) as score
from {{ ref('answers') }}
{% if is_incremental() %}
where event_id not in (select event_id from {{ this }})
{% endif %}
