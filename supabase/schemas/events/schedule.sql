-- Scheduled jobs. Without pg_cron or pg_net, everything else works.

/* Work starts with a call at commit (pg_net). Every minute this catches lost calls, failures and what is due; a failing part is logged. */
create function private.run_maintenance() returns void
  language plpgsql set search_path = ''
as $$
declare
  part text;
begin
  foreach part in array array['private.maintain_indexing', 'private.maintain_webhooks', 'private.maintain_notifications',
    'private.maintain_recognition', 'public.reindex_waiting'] loop
    begin
      execute format('select %s()', part);
    exception when others then
      raise warning '% failed: %', part, sqlerrm;
    end;
  end loop;
end
$$;

/* Every night: deletes rows and calls the function `purge` for files, by `project_url` and `purge_key` in the vault (docs/hosted.md).
   Without a scheduler, call `purge` from elsewhere. */
create function private.purge_nightly() returns void
  language plpgsql set search_path = ''
as $$
declare
  url text;
  key text;
begin
  perform public.apply_retention();
  perform public.remind_of_verifications();
  perform public.purge_trash();
  perform private.purge_blank_notes();
  perform public.purge_notifications();
  if to_regnamespace('net') is null or to_regclass('vault.decrypted_secrets') is null then return; end if;
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into key using 'purge_key';
  if url is null or key is null then return; end if;
  execute 'select net.http_post(url => $1, headers => $2, body => ''{}''::jsonb)'
    using url || '/functions/v1/purge', jsonb_build_object('apikey', key, 'content-type', 'application/json');
end
$$;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_net') then
    create extension if not exists pg_net;
  end if;
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
  end if;
  -- A platform may provide scheduling without this extension.
  if to_regprocedure('cron.schedule(text, text, text)') is not null then
    perform cron.schedule('maintenance', '* * * * *', 'select private.run_maintenance()');
    perform cron.schedule('purge', '17 3 * * *', 'select private.purge_nightly()');
    perform cron.schedule('webhooks-purge', '29 3 * * *', 'select private.purge_webhooks()');
    perform cron.schedule('arrivals', '37 3 * * *', 'select private.purge_arrivals()');
    -- pg_cron keeps job runs forever.
    perform cron.schedule('log', '41 * * * *', $job$
      delete from cron.job_run_details d using cron.job j
      where d.jobid = j.jobid and d.end_time < now() - case j.jobname when 'maintenance' then interval '1 hour' else interval '30 days' end$job$);
  end if;
end
$$;

-- For users, every table is closed but for its policies.
do $$
declare
  name regclass;
begin
  for name in select c.oid from pg_class c where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) loop
    execute format('alter table %s enable row level security', name);
  end loop;
end
$$;

reset check_function_bodies;
