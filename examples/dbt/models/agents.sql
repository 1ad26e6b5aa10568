select agent, count(*) as answers, count(score) as scored, avg(score) as mean_score
from {{ ref('scored_answers') }}
group by agent
