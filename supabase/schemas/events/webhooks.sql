-- A library's webhooks and their events (docs/webhooks.md).

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  url text not null,
  description text not null default '' check (char_length(description) <= 200),
  events text[] not null,
  is_active boolean not null default true,
  -- Since when every attempt has failed; null if the last one succeeded.
  failing_since timestamptz,
  -- When the database turned it off, because nothing could be delivered or the receiver answered 410.
  turned_off_at timestamptz,
  -- Until when a run of `deliver-webhooks` holds it, or it is paused.
  taken_until timestamptz,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index webhooks_library_id_idx on public.webhooks (library_id);
create index webhooks_created_by_idx on public.webhooks (created_by);

grant select (id, library_id, url, description, events, is_active, failing_since, turned_off_at, created_by, created_at, updated_at),
  update (url, description, events, is_active), delete
  on public.webhooks to authenticated;

create policy "owners see webhooks" on public.webhooks for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners change webhooks" on public.webhooks for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners delete webhooks" on public.webhooks for delete to authenticated
  using (library_id in (select private.library_ids('owner')));
create trigger touch_updated_at before update of url, description, events, is_active on public.webhooks
  for each row execute function private.touch_updated_at();

-- Signing secrets: the current one, and for a day the previous one.
create table private.webhook_secrets (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references public.webhooks on delete cascade,
  secret text not null default 'whsec_' || encode(extensions.gen_random_bytes(32), 'base64'),
  expires_at timestamptz
);

create index webhook_secrets_webhook_id_idx on private.webhook_secrets (webhook_id);

/* Returns the event types: kinds of log entries (docs/audit.md), and the two outcomes of indexing. */
create function public.webhook_event_types() returns text[]
  language sql immutable set search_path = ''
as $$
  select array[
    'document.added', 'document.renamed', 'document.revised', 'document.moved', 'document.trashed', 'document.restored',
    'document.deleted', 'document.indexed', 'document.indexing_failed', 'comment.added', 'comment.resolved',
    'member.joined', 'member.left', 'member.removed', 'member.role_changed',
    'request.created', 'request.closed', 'request.file_taken']
$$;
grant execute on function public.webhook_event_types to authenticated, service_role;

create function private.guard_webhook() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if char_length(new.url) > 2048 or new.url !~* '^https://[^\s/?#@\\]+([/?][^\s#]*)?$'
     and new.url !~* '^http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?([/?][^\s#]*)?$' then
    perform private.refuse('webhook_address_invalid');
  end if;
  if cardinality(new.events) = 0 or not new.events <@ public.webhook_event_types() then
    perform private.refuse('webhook_events_invalid');
  end if;
  if tg_op = 'INSERT' then
    -- Serializes inserts, so that the limit holds.
    perform from public.libraries l where l.id = new.library_id for no key update;
    if (select count(*) from public.webhooks w where w.library_id = new.library_id) >= 20 then
      perform private.refuse('too_many_webhooks');
    end if;
    return new;
  end if;
  if new.is_active and not old.is_active or new.url <> old.url then
    new.failing_since := null;
    new.taken_until := null;
  end if;
  if new.is_active then new.turned_off_at := null; end if;
  return new;
end
$$;
create trigger guard_webhook before insert or update of url, events, is_active on public.webhooks
  for each row execute function private.guard_webhook();

/* Adds a webhook to a library. For owners. Returns { id, secret }; the secret is shown only once.
   Why a definer: users can't read or choose a secret. */
create function public.create_webhook(library uuid, url text, events text[], description text default '') returns jsonb
  language plpgsql security definer set search_path = ''
as $$
declare
  made uuid;
begin
  if library not in (select private.library_ids('owner')) then
    perform private.refuse('webhooks_need_owner');
  end if;
  insert into public.webhooks (library_id, url, events, description)
    values (library, create_webhook.url, create_webhook.events, create_webhook.description) returning id into made;
  return jsonb_build_object('id', made, 'secret', private.new_webhook_secret(made));
end
$$;
grant execute on function public.create_webhook to authenticated;

create function private.new_webhook_secret(webhook uuid) returns text
  language sql volatile set search_path = ''
as $$ insert into private.webhook_secrets (webhook_id) values (webhook) returning secret $$;

/* Returns and locks a webhook of a library that the caller owns. Raises 42501 for any other, so that guessing ids reveals nothing. */
create function private.own_webhook(webhook uuid) returns public.webhooks
  language plpgsql set search_path = ''
as $$
declare
  found_webhook public.webhooks;
begin
  select w.* into found_webhook from public.webhooks w
    where w.id = webhook and w.library_id in (select private.library_ids('owner')) for no key update;
  if not found then perform private.refuse('webhook_denied'); end if;
  return found_webhook;
end
$$;

/* Returns a new secret. The previous one stays valid for a day; older ones end now. Why a definer: users can't read or choose a secret. */
create function public.replace_webhook_secret(webhook uuid) returns text
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.own_webhook(webhook);
  delete from private.webhook_secrets s where s.webhook_id = webhook and s.expires_at is not null;
  update private.webhook_secrets s set expires_at = now() + interval '24 hours' where s.webhook_id = webhook;
  return private.new_webhook_secret(webhook);
end
$$;
grant execute on function public.replace_webhook_secret to authenticated;

/* Runs after a webhook is added, changed or deleted. Why a definer: users can't write the log, and owners can only resend deliveries. */
create function private.after_webhook_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  hook constant public.webhooks := coalesce(new, old);
  -- Only the host: some receivers have a secret in the rest of the address.
  subject constant jsonb := jsonb_build_object('webhook', hook.id, 'host', substring(hook.url from '^https?://([^/?]+)'),
    'events', hook.events, 'is_active', hook.is_active);
begin
  -- Pending deliveries would be stale when the webhook is turned on again. Owners can resend each.
  if tg_op = 'UPDATE' and old.is_active and not new.is_active then
    update public.webhook_deliveries d set state = 'failed', problem = private.problem('webhook_turned_off')
      where d.webhook_id = new.id and d.state = 'waiting';
  end if;
  if tg_op = 'INSERT' then
    perform private.record_audit(hook.library_id, 'webhook.added', null, subject);
  elsif tg_op = 'DELETE' then
    perform private.record_audit(hook.library_id, 'webhook.deleted', null, subject);
  elsif new.turned_off_at is not null and old.turned_off_at is null then
    perform private.record_audit(hook.library_id, 'webhook.turned_off', null, subject, null);
  elsif (new.url, new.events, new.description, new.is_active) is distinct from (old.url, old.events, old.description, old.is_active) then
    perform private.record_audit(hook.library_id, 'webhook.changed', null, subject);
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete or update of url, events, description, is_active on public.webhooks
  for each row execute function private.after_webhook_change();

create function private.record_webhook_secret() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  perform private.record_audit(w.library_id, 'webhook.secret_replaced', null,
    jsonb_build_object('webhook', w.id, 'host', substring(w.url from '^https?://([^/?]+)')))
    from public.webhooks w where w.id = new.webhook_id;
  return null;
end
$$;
create trigger record_webhook_secret after update of expires_at on private.webhook_secrets
  for each row when (old.expires_at is null and new.expires_at is not null) execute function private.record_webhook_secret();
