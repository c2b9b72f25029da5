import { TRIGGER_TIMES } from './catalog-sql.ts'

/** Statements that select a column of JSON, in the form of DatabaseObject. */

export const JOBS = `
  select json_build_object(
    'id', j.jobid::text, 'name', coalesce(j.jobname, 'job ' || j.jobid),
    'facts', json_build_object('Schedule', j.schedule, 'Command', j.command,
      'State', case when j.active then 'active' else 'paused' end,
      'Last run', (select d.status || ', ' || to_char(d.start_time, 'YYYY-MM-DD HH24:MI:SS') from cron.job_run_details d
        where d.jobid = j.jobid order by d.runid desc limit 1)),
    'definition', j.command,
    'change', format(E'select cron.alter_job(%s, schedule := %L, command := %L);', j.jobid, j.schedule, j.command),
    'drop', case when j.jobname is null then format('select cron.unschedule(%s);', j.jobid)
      else format('select cron.unschedule(%L);', j.jobname) end)
  from cron.job j order by j.jobid`

export const QUEUES = `
  select json_build_object(
    'id', m.queue_name, 'name', m.queue_name,
    'facts', json_build_object('Messages', m.queue_length::text,
      'Oldest', case when m.oldest_msg_age_sec is null then null else m.oldest_msg_age_sec || ' s' end,
      'Sent in total', m.total_messages::text),
    'drop', format('select pgmq.drop_queue(%L);', m.queue_name))
  from pgmq.metrics_all() m order by m.queue_name`

export const SECRETS = `
  select json_build_object(
    'id', s.id::text, 'name', coalesce(s.name, s.id::text),
    'facts', json_build_object('Description', s.description, 'Updated', to_char(s.updated_at, 'YYYY-MM-DD HH24:MI:SS')))
  from vault.secrets s order by s.name nulls last, s.id`

export const WEBHOOKS = `
  select json_build_object(
    'id', g.oid::text, 'name', g.tgname,
    'facts', json_build_object('Table', n.nspname || '.' || c.relname, 'When', ${TRIGGER_TIMES},
      'Method', a.list[2], 'Address', a.list[1]),
    'definition', pg_get_triggerdef(g.oid, true),
    'change', format(E'drop trigger %I on %s;\\n%s;', g.tgname, c.oid::regclass, pg_get_triggerdef(g.oid, true)),
    'drop', format('drop trigger %I on %s;', g.tgname, c.oid::regclass))
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_proc p on p.oid = g.tgfoid join pg_namespace pn on pn.oid = p.pronamespace
  -- Each argument ends with a zero byte.
  cross join lateral (select string_to_array(encode(g.tgargs, 'escape'), '\\000') as list) a
  where p.proname = 'http_request' and pn.nspname = 'supabase_functions' order by g.tgname`
