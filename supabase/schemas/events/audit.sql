-- The audit log for owners (docs/audit.md).

/* Writes an entry that only the audit log shows. `actor` is null for someone without an account. */
create function private.record_audit(library uuid, verb text, document uuid, subject jsonb, actor uuid default auth.uid()) returns void
  language sql set search_path = ''
as $$
  insert into public.activity (library_id, actor_id, verb, document_id, subject, is_audit_only)
    select library, (select p.id from public.profiles p where p.id = actor), verb, document, subject, true
    where exists (select from public.libraries l where l.id = library)
$$;

/* Logs a library's tags, collections and the like, under the prefix tg_argv[0]. Why a definer: users can't write the log. */
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
  if tg_argv[0] = 'approval' then
    perform private.record_audit(c.library_id, case when is_deleted then 'approval.ended' else 'approval.required' end, null,
      jsonb_build_object('collection', c.name, 'names',
        private.names_of(array(select jsonb_array_elements_text(present -> 'approver_ids')::uuid))))
      from public.collections c where c.id = (present ->> 'collection_id')::uuid;
    return null;
  end if;
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

-- Why a definer: users can't write the log.
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

/* Logs an export of a library. The app calls it before it reads the library. Why a definer: users can't write the log. */
create function public.record_export(library uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if library not in (select private.library_ids()) then
    perform private.refuse('export_needs_member');
  end if;
  perform private.record_audit(library, 'library.exported', null, '{}');
end
$$;
grant execute on function public.record_export to authenticated;

create function private.require_owner(library uuid) returns void
  language plpgsql stable set search_path = ''
as $$
begin
  if library is null or library not in (select private.library_ids('owner')) then
    perform private.refuse('audit_needs_owner');
  end if;
end
$$;

/* A log entry as the audit shows it. `person` is null if the account is deleted. */
create type public.audit_entry as (
  id bigint, created_at timestamptz, kind text, person_id uuid, person text, document_id uuid, details jsonb
);

create function private.audit_entry(entry public.activity) returns public.audit_entry
  language sql stable set search_path = ''
as $$
  select row(entry.id, entry.created_at, entry.verb, entry.kept_actor_id,
    (select p.display_name from public.profiles p where p.id = entry.kept_actor_id), entry.kept_document_id, entry.subject)::public.audit_entry
$$;

/* Returns up to a hundred entries before the given one, newest first, for owners. `kinds` are prefixes; `until` is exclusive.
   Why a definer: owners also see entries that policies hide, and names of former members. */
create function public.audit_entries(
  library uuid, since timestamptz default null, until timestamptz default null, person uuid default null, kinds text[] default null,
  before_time timestamptz default null, before_id bigint default null, max_results integer default 50
) returns setof public.audit_entry
  language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_owner(library);
  return query
    select e.* from (
      select a from public.activity a
      where a.library_id = library
        and a.created_at >= coalesce(audit_entries.since, '-infinity') and a.created_at < coalesce(audit_entries.until, 'infinity')
        and (a.created_at, a.id) < (coalesce(before_time, 'infinity'), coalesce(before_id, 0))
        and (person is null or a.kept_actor_id = person)
        and (kinds is null or split_part(a.verb, '.', 1) = any (kinds))
      order by a.created_at desc, a.id desc limit least(greatest(max_results, 1), 100)) found
    cross join lateral private.audit_entry(found.a) e
    order by e.created_at desc, e.id desc;
end
$$;
grant execute on function public.audit_entries to authenticated;

/* Returns everyone who did something in a library, including former members; without a name if the account is deleted. For owners.
   Why a definer: owners also see entries that policies hide, and names of former members. */
create function public.audit_people(library uuid) returns table (id uuid, name text)
  language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_owner(library);
  return query
    -- One index lookup per person, however many entries they have.
    with recursive actors (id) as (
      (select a.kept_actor_id from public.activity a
        where a.library_id = library and a.kept_actor_id is not null order by a.kept_actor_id limit 1)
      union all
      select (select a.kept_actor_id from public.activity a
        where a.library_id = library and a.kept_actor_id > actors.id order by a.kept_actor_id limit 1)
      from actors where actors.id is not null
    )
    select actors.id, p.display_name from actors left join public.profiles p on p.id = actors.id
    where actors.id is not null order by p.display_name, actors.id;
end
$$;
grant execute on function public.audit_people to authenticated;

/* Starts an export and logs it. Returns its number for export_audit. For owners. Why a definer: users can't write the log. */
create function public.start_audit_export(
  library uuid, format text, since timestamptz default null, until timestamptz default null, person uuid default null,
  kinds text[] default null
) returns bigint
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.require_owner(library);
  if format is null or format not in ('csv', 'jsonl') then
    perform private.refuse('audit_format_invalid');
  end if;
  perform private.record_audit(library, 'audit.exported', null, jsonb_strip_nulls(jsonb_build_object('format', format,
    'since', since, 'until', until, 'person', person, 'kinds', to_jsonb(kinds))));
  return currval('public.activity_id_seq');
end
$$;
grant execute on function public.start_audit_export to authenticated;

/* Returns an export's next 5,000 entries, oldest first; empty at the end. It contains what existed at its start, and only the person who
   started it can read it, for a day.
   Why a definer: owners also see entries that policies hide, and names of former members. */
create function public.export_audit(export bigint, after_time timestamptz default null, after_id bigint default null) returns json
  language plpgsql stable security definer set search_path = ''
as $$
declare
  begun public.activity;
  page json;
begin
  select a.* into begun from public.activity a
    where a.id = export and a.verb = 'audit.exported' and a.kept_actor_id = (select auth.uid()) and a.created_at > now() - interval '1 day';
  perform private.require_owner(begun.library_id);
  select coalesce(json_agg(e order by e.created_at, e.id), '[]') into page
    from (
      select a from public.activity a
      where a.library_id = begun.library_id and a.id < begun.id
        and a.created_at >= coalesce((begun.subject ->> 'since')::timestamptz, '-infinity')
        and a.created_at < coalesce((begun.subject ->> 'until')::timestamptz, 'infinity')
        and (a.created_at, a.id) > (coalesce(after_time, '-infinity'), coalesce(after_id, 0))
        and (begun.subject ->> 'person' is null or a.kept_actor_id = (begun.subject ->> 'person')::uuid)
        and (begun.subject -> 'kinds' is null or begun.subject -> 'kinds' ? split_part(a.verb, '.', 1))
      order by a.created_at, a.id limit 5000) found
    cross join lateral private.audit_entry(found.a) e;
  return page;
end
$$;
grant execute on function public.export_audit to authenticated;

-- Why a definer: users can't write the log.
create function private.record_group() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'group.created', null, jsonb_build_object('group', new.name));
  elsif tg_op = 'DELETE' then
    perform private.record(old.library_id, 'group.deleted', null, jsonb_build_object('group', old.name));
  elsif new.name <> old.name then
    perform private.record(new.library_id, 'group.renamed', null, jsonb_build_object('group', new.name, 'from', old.name));
  end if;
  return null;
end
$$;
create trigger record_group after insert or delete or update of name on public.groups
  for each row execute function private.record_group();

/* One entry per group and statement, with at most ten names. Leaving the library and deleting a group have their own entries.
   Why a definer: users can't write the log. */
create function private.record_group_members() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.record(
    g.library_id, case tg_op when 'DELETE' then 'group.member_removed' else 'group.member_added' end, null, jsonb_build_object(
      'group', g.name, 'count', count(*),
      'names', to_jsonb((array_agg(p.display_name order by p.display_name))[:10])))
  from changed c
  join public.groups g on g.id = c.group_id
  join public.members m on m.library_id = c.library_id and m.user_id = c.user_id
  join public.profiles p on p.id = c.user_id
  group by g.id;
  return null;
end
$$;
create trigger record_added after insert on public.group_members referencing new table as changed
  for each statement execute function private.record_group_members();
create trigger record_removed after delete on public.group_members referencing old table as changed
  for each statement execute function private.record_group_members();

/* For people and groups. Why a definer: users can't write the log. */
create function private.record_grant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  given constant jsonb := to_jsonb(coalesce(new, old));
  grantee jsonb;
begin
  if tg_table_name = 'group_grants' then
    select jsonb_build_object('group', g.name) into grantee from public.groups g where g.id = (given ->> 'group_id')::uuid;
    if not found then return null; end if; -- the group itself is being deleted
  else
    grantee := jsonb_build_object('user', given -> 'user_id',
      'name', (select p.display_name from public.profiles p where p.id = (given ->> 'user_id')::uuid));
  end if;
  perform private.record((given ->> 'library_id')::uuid, case tg_op when 'DELETE' then 'grant.removed' else 'grant.given' end, null,
    grantee || jsonb_build_object('role', given -> 'role',
      'collection', (select c.name from public.collections c where c.id = (given ->> 'collection_id')::uuid)));
  return null;
end
$$;
create trigger record_grant after insert or update or delete on public.collection_grants
  for each row execute function private.record_grant();
create trigger record_grant after insert or update or delete on public.group_grants
  for each row execute function private.record_grant();

/* Logs changes of a retention rule, and of how long it keeps documents. Why a definer: users can't write the log. */
create function private.record_retention_rule() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  rule public.retention_rules := coalesce(new, old);
  verb text := case when rule.is_on and tg_op <> 'DELETE' then 'retention.set' when tg_op = 'DELETE' or old.is_on then 'retention.ended' end;
begin
  if verb is not null then
    perform private.record(rule.library_id, verb, null, jsonb_strip_nulls(jsonb_build_object(
      'collection', (select c.name from public.collections c where c.id = rule.collection_id),
      'keep_years', case verb when 'retention.set' then rule.keep_years end,
      'from', case when old.is_on and (verb = 'retention.ended' or old.keep_years is distinct from rule.keep_years) then old.keep_years end)));
  end if;
  return null;
end
$$;
create trigger record_retention_rule after update of is_on, trash_after, trash_unit, basis, field_id, trash_days, keep_years
  on public.retention_rules for each row execute function private.record_retention_rule();
create trigger record_end_of_rule after delete on public.retention_rules
  for each row when (old.is_on) execute function private.record_retention_rule();

-- Why a definer: users can't write the log.
create function private.record_legal_hold() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  hold public.legal_holds := coalesce(new, old);
begin
  perform private.record(hold.library_id, case tg_op when 'INSERT' then 'hold.placed' else 'hold.lifted' end, hold.document_id,
    jsonb_build_object('title', (select d.title from public.documents d where d.id = hold.document_id), 'reason', hold.reason));
  return null;
end
$$;
create trigger record_legal_hold after insert or delete on public.legal_holds
  for each row execute function private.record_legal_hold();

-- Why a definer: users can't write the log.
create function private.record_rule() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  rule constant public.rules := case when tg_op = 'DELETE' then old else new end;
begin
  perform private.record_audit(rule.library_id, 'rule.' || case tg_op when 'INSERT' then 'added' when 'UPDATE' then 'changed' else 'deleted' end, null,
    jsonb_build_object('id', rule.id, 'name', rule.name, 'is_on', rule.is_on)
      || case when tg_op = 'UPDATE' and new.name <> old.name then jsonb_build_object('from', old.name) else '{}' end);
  return null;
end
$$;
create trigger record_new_rule after insert or delete on public.rules for each row execute function private.record_rule();
-- Not internal bookkeeping, nor the order.
create trigger record_changed_rule after update on public.rules for each row
  when ((old.name, old.is_on, old.on_added, old.on_moved, old.collection_id, old.includes_inside, old.conditions, old.actions)
    is distinct from (new.name, new.is_on, new.on_added, new.on_moved, new.collection_id, new.includes_inside, new.conditions, new.actions))
  execute function private.record_rule();

-- Why a definer: users can't write the log.
create function private.record_mail_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  address constant public.mail_addresses := case when tg_op = 'DELETE' then old else new end;
  action constant text := case
    when tg_op = 'INSERT' then 'added'
    when tg_op = 'DELETE' then 'deleted'
    when new.secret <> old.secret then 'replaced'
    else 'changed' end;
begin
  -- Never log the secret.
  perform private.record_audit(address.library_id, 'mail.address_' || action, null, jsonb_build_object(
    'id', address.id, 'name', address.name, 'senders', address.senders, 'enabled', address.enabled,
    'collection', (select c.name from public.collections c where c.id = address.collection_id)));
  return null;
end
$$;
create trigger record_new_mail_address after insert or delete on public.mail_addresses
  for each row execute function private.record_mail_address();
create trigger record_changed_mail_address after update on public.mail_addresses for each row
  when ((old.secret, old.senders, old.enabled, old.collection_id) is distinct from (new.secret, new.senders, new.enabled, new.collection_id))
  execute function private.record_mail_address();
