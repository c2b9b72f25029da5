-- Deliveries to webhooks.

create type public.webhook_delivery_state as enum ('waiting', 'delivered', 'failed');

-- Written in the event's transaction: nothing is lost, and nothing that was rolled back is sent.
create table public.webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references public.webhooks on delete cascade,
  message_id text not null, -- the same for all attempts and webhooks of an event
  type text not null,
  payload json not null, -- not jsonb: the bytes are signed, so the order must not change
  state public.webhook_delivery_state not null default 'waiting',
  due_at timestamptz not null default now(),
  -- The latest attempt.
  attempts integer not null default 0,
  attempted_at timestamptz,
  status smallint,
  answer text check (octet_length(answer) <= 1024),
  problem jsonb,
  created_at timestamptz not null default now(),
  unique (webhook_id, message_id)
);

create index webhook_deliveries_webhook_id_idx on public.webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_waiting_idx on public.webhook_deliveries (webhook_id, due_at) where state = 'waiting';
create index webhook_deliveries_created_at_idx on public.webhook_deliveries (created_at);

grant select, update (state) on public.webhook_deliveries to authenticated;

create policy "owners see deliveries" on public.webhook_deliveries for select to authenticated
  using (webhook_id in (select w.id from public.webhooks w));
create policy "owners send deliveries again" on public.webhook_deliveries for update to authenticated
  using (webhook_id in (select w.id from public.webhooks w where w.is_active)) with check (state = 'waiting');

/* A delivery that is sent again is due now, with as many attempts as a new one. */
create function private.send_again() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is not null then
    new.due_at := clock_timestamp();
    new.attempts := 0;
  end if;
  return new;
end
$$;
create trigger send_again before update of state on public.webhook_deliveries
  for each row when (new.state = 'waiting') execute function private.send_again();

/* Queues an event for these webhooks. */
create function private.queue_webhooks(webhooks uuid[], type text, happened_at timestamptz, data jsonb) returns void
  language sql set search_path = ''
as $$
  insert into public.webhook_deliveries (webhook_id, message_id, type, payload)
    select webhook, message.id, queue_webhooks.type, json_build_object(
      'type', queue_webhooks.type, 'timestamp', to_char(happened_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', data)
    from (select 'msg_' || replace(gen_random_uuid()::text, '-', '') as id) message, unnest(webhooks) webhook
$$;

/* Sends a `webhook.test` event to one webhook, once. Why a definer: users can't write deliveries. */
create function public.test_webhook(webhook uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  tested public.webhooks := private.own_webhook(webhook);
begin
  if not tested.is_active then perform private.refuse('webhook_off'); end if;
  perform private.queue_webhooks(array[tested.id], 'webhook.test', now(),
    private.webhook_data(tested.library_id, (select auth.uid()), null, '{}'));
end
$$;
grant execute on function public.test_webhook to authenticated;

/* Sends a delivery again, with the same id, so that the receiver recognizes it. Applies the caller's rights. */
create function public.resend_webhook_delivery(delivery bigint) returns void
  language plpgsql set search_path = ''
as $$
declare
  is_active boolean;
begin
  select w.is_active into is_active from public.webhooks w join public.webhook_deliveries d on d.webhook_id = w.id
    where d.id = delivery for no key update of w;
  if not found then
    perform private.refuse('webhook_denied');
  elsif not is_active then
    perform private.refuse('webhook_off');
  end if;
  update public.webhook_deliveries d set state = 'waiting' where d.id = delivery;
end
$$;
grant execute on function public.resend_webhook_delivery to authenticated;

/* Returns an event's data: ids and names at that time, never text. Only ids if the library requires a second factor: receivers have none. */
create function private.webhook_data(library uuid, actor uuid, document uuid, subject jsonb) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object(
      'library', jsonb_build_object('id', l.id, 'name', case when open then l.name end),
      'actor', case when p.id is not null then jsonb_build_object('id', p.id, 'name', case when open then p.display_name end) end)
    || case when d.id is null and not subject ? 'document' then '{}' else jsonb_build_object('document', jsonb_build_object(
      'id', coalesce(d.id::text, subject ->> 'document'), 'kind', coalesce(d.kind::text, subject ->> 'kind'),
      'title', case when open then coalesce(subject ->> 'title', d.title) end,
      'collection', case when c.id is not null then jsonb_build_object('id', c.id, 'name', case when open then c.name end) end)) end
    || case when subject ? 'comment' then jsonb_build_object('comment', jsonb_build_object('id', subject -> 'comment')) else '{}' end
    || case when subject ? 'user' then jsonb_build_object('member', jsonb_build_object(
      'id', subject -> 'user', 'role', subject -> 'role', 'name', case when open then subject -> 'name' end)) else '{}' end
    || case when subject ? 'request' then jsonb_build_object('request', jsonb_build_object(
      'id', subject -> 'id', 'title', case when open then subject -> 'request' end)) else '{}' end
    || case when subject ? 'code' then jsonb_build_object(
      'problem', case when open then subject -> 'message' end, 'code', subject -> 'code') else '{}' end
  from public.libraries l
  cross join lateral (select not l.require_second_factor as open) of_all
  left join public.profiles p on p.id = actor
  left join public.documents d on d.id = document
  left join public.collections c on c.id = d.collection_id
  where l.id = library
$$;

/* Returns a library's webhooks for this event type; null if there are none. */
create function private.webhooks_for(library uuid, type text) returns uuid[]
  language plpgsql stable set search_path = '' -- keeps the plan for the next entry
as $$
begin
  return (select array_agg(w.id) from public.webhooks w where w.library_id = library and w.is_active and webhooks_for.type = any (w.events));
end
$$;

/* A rule that moves a document logs its own entry instead of the move, but webhooks receive the move. */
create function private.queue_activity() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  type constant text := case
    when new.verb = 'document.ran_rule' and new.subject @? '$.changes[*] ? (@.do == "move")' then 'document.moved'
    else new.verb end;
  webhooks constant uuid[] := private.webhooks_for(new.library_id, type);
begin
  if webhooks is not null then
    perform private.queue_webhooks(webhooks, type, new.created_at,
      private.webhook_data(new.library_id, new.actor_id, new.document_id, new.subject));
  end if;
  return null;
end
$$;
create trigger queue_activity after insert on public.activity for each row execute function private.queue_activity();

-- Queues the event that a document has been read, or can't be.
create function private.queue_indexing(document public.documents) returns void
  language plpgsql set search_path = ''
as $$
declare
  type constant text := case document.state when 'ready' then 'document.indexed' else 'document.indexing_failed' end;
  webhooks constant uuid[] := private.webhooks_for(document.library_id, type);
begin
  if webhooks is not null then
    perform private.queue_webhooks(webhooks, type, now(), private.webhook_data(document.library_id, null, document.id,
      case when document.state = 'failed' then coalesce(document.problem, '{}') else '{}' end));
  end if;
end
$$;

/* Takes a webhook for a minute from the last report: { webhook, url, secrets, deliveries: [{ id, message_id, type, payload }] }, newest
   secret first, the next twenty deliveries. Runs never share a webhook, so deliveries stay in order. Null if nothing is due or free. */
create function public.take_webhook() returns json
  language plpgsql set search_path = ''
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
grant execute on function public.take_webhook to service_role;

/* Releases a webhook, with a pause after failures. */
create function public.release_webhook(webhook uuid, pause_seconds integer default 0) returns void
  language sql set search_path = ''
as $$
  update public.webhooks w set taken_until = clock_timestamp() + make_interval(secs => pause_seconds) where w.id = webhook
$$;
grant execute on function public.release_webhook to service_role;

/* Returns the pause before the next attempt: ten within a day, with 10 % jitter for a recovering receiver. Null after the last one. */
create function private.webhook_pause(attempts integer) returns interval
  language sql volatile set search_path = ''
as $$
  select (array['5 seconds', '1 minute', '5 minutes', '30 minutes', '1 hour', '2 hours', '4 hours', '6 hours', '8 hours']::interval[])[attempts]
    * (1 + random() / 10)
$$;

create function private.turn_off_webhook(webhook public.webhooks) returns void
  language sql set search_path = ''
as $$
  update public.webhooks w set is_active = false, turned_off_at = now() where w.id = webhook.id;
  insert into public.notifications (user_id, kind, library_id)
    select m.user_id, 'webhook', m.library_id from public.members m where m.library_id = webhook.library_id and m.role = 'owner';
$$;

/* Records an attempt's response or problem. Failures are retried (webhook_pause) for a day. A webhook is turned off, and owners notified,
   if a delivery is given up and nothing was delivered for five days, or the receiver answers 410. */
create function public.report_webhook_delivery(delivery bigint, status integer, answer text, problem jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  reported public.webhook_deliveries;
  receiver public.webhooks;
  is_delivered boolean := coalesce(status between 200 and 299, false);
  is_test boolean;
  pause interval;
begin
  -- Lock the webhook first, like everything else that locks both.
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
grant execute on function public.report_webhook_delivery to service_role;

-- One row: when the function was last called.
create table private.webhook_calls (
  id boolean primary key default true check (id),
  called_at timestamptz not null default '-infinity'
);

insert into private.webhook_calls default values;

/* Calls `deliver-webhooks` if something is due, once per transaction and in two seconds overall: a run handles newer deliveries too, and
   maintain_webhooks calls for the rest. */
create function private.call_webhooks() returns void
  language plpgsql set search_path = ''
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
      jsonb_build_object('content-type', 'application/json', 'x-database-key', (select i.key from private.indexing i));
end
$$;

create constraint trigger call_webhooks after insert or update of state, due_at on public.webhook_deliveries
  deferrable initially deferred for each row when (new.state = 'waiting' and new.attempts = 0)
  execute function private.call_at_commit('deliver-webhooks');

create function private.maintain_webhooks() returns void
  language plpgsql set search_path = ''
as $$
begin
  -- The function may be missing or down: deliveries that have waited for a day are given up.
  update public.webhook_deliveries d set state = 'failed',
    problem = private.problem('webhook_not_sent')
    where d.state = 'waiting' and d.due_at < now() - interval '1 day';
  perform private.call_webhooks();
end
$$;

/* Deletes deliveries after thirty days, and expired secrets. */
create function private.purge_webhooks() returns void
  language sql set search_path = ''
as $$
  delete from public.webhook_deliveries d where d.created_at < now() - interval '30 days';
  delete from private.webhook_secrets s where s.expires_at < now();
$$;
