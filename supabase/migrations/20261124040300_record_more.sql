-- The library's log says all that an auditor asks for, and nobody changes it (docs/audit.md)

-- What only the audit log shows, not the activity that members see.
alter table public.activity add column is_audit_only boolean not null default false;
-- Who did it and to which document, also when the account or the document is deleted: then the references are null.
alter table public.activity add column kept_actor_id uuid, add column kept_document_id uuid;
update public.activity set kept_actor_id = actor_id, kept_document_id = document_id;
create index activity_kept_actor_id_idx on public.activity (library_id, kept_actor_id);
-- The audit log goes by time in both directions.
drop index public.activity_library_id_idx;
create index activity_library_id_idx on public.activity (library_id, created_at, id);

drop policy "members see what happened" on public.activity;
create policy "members see what happened" on public.activity for select to authenticated
  using (
    library_id in (select private.library_ids()) and not is_audit_only
    and (verb !~ '^(invitation|share|grant)\.' or library_id in (select private.library_ids('owner')))
    and (
      (document_id is null and verb !~ '^(document|comment)\.')
      or library_id in (select private.library_ids('editor'))
      or exists (select from public.documents d where d.id = document_id)
    )
  );

-- Entries are written by triggers and functions alone, and stay as they are.
revoke insert, update, delete, truncate on public.activity from service_role;
create function private.keep_entries() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- The library itself is being deleted, and its log with it.
  if tg_op = 'DELETE' and not exists (select from public.libraries l where l.id = old.library_id) then return old; end if;
  -- The account or the document is being deleted: the reference to it goes, and what the entry says stays.
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{actor_id,document_id}'::text[] = to_jsonb(old) - '{actor_id,document_id}'::text[]
     and (new.actor_id is not distinct from old.actor_id
       or new.actor_id is null and not exists (select from public.profiles p where p.id = old.actor_id))
     and (new.document_id is not distinct from old.document_id
       or new.document_id is null and not exists (select from public.documents d where d.id = old.document_id))
  then return new; end if;
  raise exception 'Entries of the log are neither changed nor deleted.' using errcode = '42501',
    hint = 'They end with their library.';
end
$$;
create trigger keep_entries before update or delete on public.activity
  for each row execute function private.keep_entries();

create function private.keep_references() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- A restored dump brings its own.
  new.kept_actor_id := coalesce(new.kept_actor_id, new.actor_id);
  new.kept_document_id := coalesce(new.kept_document_id, new.document_id, (new.subject ->> 'document')::uuid);
  return new;
end
$$;
create trigger keep_references before insert on public.activity for each row execute function private.keep_references();

/* What members are not shown, but the audit log is. `actor` is null where somebody without an account did it. */
create function private.record_audit(library uuid, verb text, document uuid, subject jsonb, actor uuid default auth.uid()) returns void
  language sql security definer set search_path = ''
as $$
  insert into public.activity (library_id, actor_id, verb, document_id, subject, is_audit_only)
    select library, (select p.id from public.profiles p where p.id = actor), verb, document, subject, true
    where exists (select from public.libraries l where l.id = library)
$$;

/* What a library has beside documents, under the first part of its kind: tg_argv[0]. */
create function private.record_definition() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  is_deleted constant boolean := tg_op = 'DELETE';
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  present constant jsonb := case when is_deleted then before else to_jsonb(new) end;
  called constant text := coalesce(present ->> 'name', present ->> 'title');
  was_called constant text := coalesce(before ->> 'name', before ->> 'title');
  subject jsonb := jsonb_build_object('id', present -> 'id', 'name', called);
begin
  if tg_op = 'UPDATE' then
    if called = was_called and present -> 'parent_id' is not distinct from before -> 'parent_id' then return null; end if;
    if called <> was_called then subject := subject || jsonb_build_object('from', was_called); end if;
    if present -> 'parent_id' is distinct from before -> 'parent_id' then
      subject := subject || jsonb_build_object('parent', present -> 'parent_id', 'parent_from', before -> 'parent_id');
    end if;
  end if;
  perform private.record_audit((present ->> 'library_id')::uuid,
    tg_argv[0] || case tg_op when 'INSERT' then '.added' when 'UPDATE' then '.changed' else '.deleted' end, null, subject);
  return null;
end
$$;
create trigger record_definition after insert or update or delete on public.collections
  for each row execute function private.record_definition('collection');
create trigger record_definition after insert or update or delete on public.tags
  for each row execute function private.record_definition('tag');
create trigger record_definition after insert or update or delete on public.collection_fields
  for each row execute function private.record_definition('field');
create trigger record_definition after insert or update or delete on public.note_templates
  for each row execute function private.record_definition('template');

create function private.record_comment_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.record_audit(new.library_id, 'comment.reopened', new.document_id, jsonb_build_object('comment', new.id));
  -- A document that is deleted takes its comments with it.
  elsif exists (select from public.documents d where d.id = old.document_id) then
    perform private.record_audit(old.library_id, 'comment.deleted', old.document_id,
      jsonb_build_object('comment', old.id, 'author', old.created_by));
  end if;
  return null;
end
$$;
create trigger record_reopened_comment after update of resolved_at on public.comments
  for each row when (old.resolved_at is not null and new.resolved_at is null) execute function private.record_comment_change();
create trigger record_deleted_comment after delete on public.comments
  for each row execute function private.record_comment_change();

-- When the opening of a link was last recorded. A link that is opened often is recorded once an hour: visitors have no account,
-- and must not be able to fill the log.
alter table public.share_links add column opening_recorded_at timestamptz;
create function private.record_share_link_use() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  subject constant jsonb := jsonb_build_object('link', old.id, 'title', (select d.title from public.documents d where d.id = old.document_id));
begin
  if tg_op = 'DELETE' then
    if exists (select from public.documents d where d.id = old.document_id) then
      perform private.record_audit(old.library_id, 'share.deleted', old.document_id, subject);
    end if;
    return old;
  end if;
  if new.expires_at is distinct from old.expires_at then
    perform private.record_audit(new.library_id, 'share.changed', new.document_id,
      subject || jsonb_build_object('expires_at', new.expires_at, 'from', old.expires_at));
  end if;
  if new.view_count > old.view_count and coalesce(old.opening_recorded_at < now() - interval '1 hour', true) then
    perform private.record_audit(new.library_id, 'share.opened', new.document_id,
      subject || jsonb_build_object('times', new.view_count), null);
    new.opening_recorded_at := now();
  end if;
  return new;
end
$$;
create trigger record_share_link_use before update or delete on public.share_links
  for each row execute function private.record_share_link_use();

-- Settings that have no kind of their own: which changed, from what to what.
create function private.record_settings() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  changed jsonb;
begin
  if tg_op = 'INSERT' then
    perform private.record_audit(new.id, 'library.created', null, jsonb_build_object('name', new.name));
    return null;
  end if;
  select jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)) into changed
    from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key
    where n.value <> o.value and n.key not in ('name', 'require_second_factor', 'updated_at', 'created_by');
  if changed is not null then
    perform private.record_audit(new.id, 'library.changed', null, jsonb_build_object('changed', changed));
  end if;
  return null;
end
$$;
create trigger record_settings after insert or update on public.libraries
  for each row execute function private.record_settings();

/* Notes that the caller exports a library. The app calls it before it reads the library. */
create function public.record_export(library uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if library not in (select private.library_ids()) then
    raise exception 'Only members export a library.' using errcode = '42501';
  end if;
  perform private.record_audit(library, 'library.exported', null, '{}');
end
$$;
grant execute on function public.record_export to authenticated;

-- Of the address only the host: some receivers have a secret in the rest.
create function private.record_webhook() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  hook constant public.webhooks := coalesce(new, old);
  subject constant jsonb := jsonb_build_object('webhook', hook.id, 'host', substring(hook.url from '^https?://([^/?]+)'),
    'events', hook.events, 'is_active', hook.is_active);
begin
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
create trigger record_webhook after insert or delete or update of url, events, description, is_active on public.webhooks
  for each row execute function private.record_webhook();
create function private.record_webhook_secret() returns trigger
  language plpgsql security definer set search_path = ''
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
