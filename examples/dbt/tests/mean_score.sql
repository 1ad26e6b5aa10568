-- `dbt test` fails if an agent's mean score is below 50
select * from {{ ref('agents') }} where mean_score < 50
