-- What runs by the clock. Where pg_cron or pg_net is missing, everything else works.

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_net') then
    create extension if not exists pg_net;
  end if;
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('index', '10 seconds', 'select private.tend_indexing(), private.renew_waiting_words()');
    perform cron.schedule('webhooks', '10 seconds', 'select private.tend_webhooks()');
    perform cron.schedule('notify', '* * * * *', 'select private.tend_notifications()');
    perform cron.schedule('purge', '17 3 * * *', 'select private.purge_nightly()');
    perform cron.schedule('webhooks-purge', '29 3 * * *', 'select private.purge_webhooks()');
    perform cron.schedule('arrivals', '37 3 * * *', 'select private.purge_arrivals()');
    -- pg_cron remembers each run of each job for ever.
    perform cron.schedule('index-log', '41 * * * *', $job$
      delete from cron.job_run_details d using cron.job j
      where d.jobid = j.jobid and j.jobname in ('index', 'notify') and d.end_time < now() - interval '1 hour'$job$);
    perform cron.schedule('webhooks-log', '43 * * * *', $job$
      delete from cron.job_run_details d using cron.job j
      where d.jobid = j.jobid and j.jobname like 'webhooks%' and d.end_time < now() - interval '1 hour'$job$);
  end if;
end
$$;

reset check_function_bodies;
