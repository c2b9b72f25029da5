-- The delivery of webhooks: the function `deliver-webhooks` takes one webhook at a time, and tells how each attempt ended

/* Gives the caller one webhook that something is due to, for a minute from the last report, and the next twenty deliveries. Two runs
   never have the same one, so its deliveries leave in their order. Null when nothing is due, or only to webhooks that others have.

   { webhook, url, secrets, deliveries: [{ id, message_id, type, payload }] }, where the newest secret is the first. */
create function public.take_webhook() returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  taken public.webhooks;
begin
  update public.webhooks w set taken_until = clock_timestamp() + interval '1 minute'
  where w.id = (
    select o.id from public.webhooks o
    where o.is_active and (o.taken_until is null or o.taken_until <= clock_timestamp()) and exists (
      select from public.webhook_deliveries d where d.webhook_id = o.id and d.state = 'waiting' and d.due_at <= clock_timestamp())
    order by o.taken_until nulls first limit 1 for no key update skip locked)
  returning w.* into taken;
  if not found then return null; end if;
  return (
    select json_build_object('webhook', taken.id, 'url', taken.url,
      'secrets', (select json_agg(s.secret order by s.id desc) from private.webhook_secrets s
        where s.webhook_id = taken.id and (s.expires_at is null or s.expires_at > now())),
      'deliveries', (
        select json_agg(json_build_object('id', d.id, 'message_id', d.message_id, 'type', d.type, 'payload', d.payload) order by d.id)
        from (
          select * from public.webhook_deliveries due
          where due.webhook_id = taken.id and due.state = 'waiting' and due.due_at <= clock_timestamp()
          order by due.id limit 20) d)));
end
$$;

/* Gives a webhook back. After failures it is left alone for a while. */
create function public.release_webhook(webhook uuid, pause_seconds integer default 0) returns void
  language sql security definer set search_path = ''
as $$
  update public.webhooks w set taken_until = clock_timestamp() + make_interval(secs => pause_seconds) where w.id = webhook
$$;

/* When an attempt is repeated: ten attempts within a day, and a tenth of each pause by chance, so that a receiver that comes back does
   not get everything in one second. Null after the last one. */
create function private.webhook_pause(attempts integer) returns interval
  language sql volatile set search_path = ''
as $$
  select (array['5 seconds', '1 minute', '5 minutes', '30 minutes', '1 hour', '2 hours', '4 hours', '6 hours', '8 hours']::interval[])[attempts]
    * (1 + random() / 10)
$$;

create function private.turn_off_webhook(webhook public.webhooks) returns void
  language sql security definer set search_path = ''
as $$
  update public.webhooks w set is_active = false, turned_off_at = now() where w.id = webhook.id;
  insert into public.notifications (user_id, kind, library_id)
    select m.user_id, 'webhook', m.library_id from public.members m where m.library_id = webhook.library_id and m.role = 'owner';
$$;

/* Notes how an attempt ended: the status and the beginning of the answer, or why there is none. A delivery that failed is due again
   later (webhook_pause), and given up after a day. A webhook is turned off, and its library's owners are told, when a delivery is given
   up and nothing has been delivered for five days, or when the receiver answers 410: it is gone. */
create function public.report_webhook_delivery(delivery bigint, status integer, answer text, problem text) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  reported public.webhook_deliveries;
  receiver public.webhooks;
  is_delivered boolean := coalesce(status between 200 and 299, false);
  is_test boolean;
  pause interval;
begin
  -- The webhook first, as everything else that locks both does.
  select w.* into receiver from public.webhooks w
    where w.id = (select d.webhook_id from public.webhook_deliveries d where d.id = delivery) for no key update;
  if not found then return; end if;
  select d.* into reported from public.webhook_deliveries d where d.id = delivery for update;
  is_test := reported.type = 'webhook.test';
  if not is_delivered and not is_test and status is distinct from 410 and receiver.is_active then
    pause := private.webhook_pause(reported.attempts + 1);
  end if;
  update public.webhook_deliveries d set
    state = case when is_delivered then 'delivered' when pause is null then 'failed' else 'waiting' end::public.webhook_delivery_state,
    due_at = coalesce(clock_timestamp() + pause, d.due_at), attempts = d.attempts + 1, attempted_at = clock_timestamp(),
    status = report_webhook_delivery.status, answer = report_webhook_delivery.answer, problem = report_webhook_delivery.problem
    where d.id = delivery;
  update public.webhooks w set taken_until = clock_timestamp() + interval '1 minute',
    failing_since = case when is_delivered then null when is_test then w.failing_since else coalesce(w.failing_since, now()) end
    where w.id = receiver.id;
  if not is_delivered and not is_test and pause is null and receiver.is_active
     and (status = 410 or receiver.failing_since <= now() - interval '5 days') then
    perform private.turn_off_webhook(receiver);
  end if;
end
$$;
grant execute on function public.take_webhook, public.release_webhook, public.report_webhook_delivery to service_role;

-- One row: when the function was last called.
create table private.webhook_calls (
  id boolean primary key default true check (id),
  called_at timestamptz not null default '-infinity'
);
insert into private.webhook_calls default values;
alter table private.webhook_calls enable row level security;

/* Calls the function `deliver-webhooks` if something is due; see call_indexer. A transaction calls once, and all of them once in two
   seconds: a run takes what others have put there meanwhile, and tend_webhooks calls for what is left. */
create function private.call_webhooks() returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if to_regnamespace('net') is null or current_setting('carrel.webhooks_called', true) = pg_current_xact_id()::text then return; end if;
  perform set_config('carrel.webhooks_called', pg_current_xact_id()::text, true);
  if not exists (
    select from public.webhooks w
    where w.is_active and (w.taken_until is null or w.taken_until <= clock_timestamp()) and exists (
      select from public.webhook_deliveries d where d.webhook_id = w.id and d.state = 'waiting' and d.due_at <= clock_timestamp()))
  then return; end if;
  update private.webhook_calls set called_at = clock_timestamp()
    where id in (select c.id from private.webhook_calls c
      where c.called_at < clock_timestamp() - interval '2 seconds' for update skip locked);
  if not found then return; end if;
  execute 'select net.http_post(url => $1, body => ''{}''::jsonb, headers => $2, timeout_milliseconds => 60000)'
    using private.functions_url() || 'deliver-webhooks',
      jsonb_build_object('content-type', 'application/json', 'x-indexing-key', (select i.key from private.indexing i));
end
$$;
create function private.call_webhooks_at_commit() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.call_webhooks();
  return null;
end
$$;
create constraint trigger call_webhooks after insert or update of due_at on public.webhook_deliveries
  deferrable initially deferred for each row when (new.state = 'waiting' and new.attempts = 0)
  execute function private.call_webhooks_at_commit();

create function private.tend_webhooks() returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  -- The function may be missing or out of order. What it did not come to within a day is old.
  update public.webhook_deliveries d set state = 'failed',
    problem = 'This was not sent within a day: the function “deliver-webhooks” does not run. Whoever runs this service finds the reason in its log.'
    where d.state = 'waiting' and d.due_at < now() - interval '1 day';
  perform private.call_webhooks();
end
$$;

/* Deliveries that are thirty days old, and secrets that have ended. */
create function private.purge_webhooks() returns void
  language sql security definer set search_path = ''
as $$
  delete from public.webhook_deliveries d where d.created_at < now() - interval '30 days';
  delete from private.webhook_secrets s where s.expires_at < now();
$$;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('webhooks', '10 seconds', 'select private.tend_webhooks()');
    perform cron.schedule('webhooks-purge', '29 3 * * *', 'select private.purge_webhooks()');
    perform cron.schedule('webhooks-log', '43 * * * *', $job$
      delete from cron.job_run_details d using cron.job j
      where d.jobid = j.jobid and j.jobname like 'webhooks%' and d.end_time < now() - interval '1 hour'$job$);
  end if;
end
$$;
