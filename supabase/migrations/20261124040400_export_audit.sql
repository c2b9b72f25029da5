-- The audit log of a library, for its owners: looked at in pages, and exported as a whole (docs/audit.md)

create function private.require_owner(library uuid) returns void
  language plpgsql stable set search_path = ''
as $$
begin
  if library is null or library not in (select private.library_ids('owner')) then
    raise exception 'Only an owner of the library can see its audit log.' using errcode = '42501';
  end if;
end
$$;

/* Entries of the log as the audit shows them. `person` is null for one whose account is deleted. */
create type public.audit_entry as (
  id bigint, created_at timestamptz, kind text, person_id uuid, person text, document_id uuid, details jsonb
);

create function private.audit_entry(entry public.activity) returns public.audit_entry
  language sql stable security definer set search_path = ''
as $$
  select row(entry.id, entry.created_at, entry.verb, entry.kept_actor_id,
    (select p.display_name from public.profiles p where p.id = entry.kept_actor_id), entry.kept_document_id, entry.subject)::public.audit_entry
$$;

/* The newest entries of a library's log, at most a hundred, that are older than one of them (`before_time` and `before_id`).
   `kinds` are first parts: `document`, `member`. Times are half open: from `since` until before `until`. For owners. */
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

/* Whoever did something in a library, also those who have left; without a name where the account is deleted. For owners. */
create function public.audit_people(library uuid) returns table (id uuid, name text)
  language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_owner(library);
  return query
    -- One look into the index for each person, however much they did.
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

/* Begins an export, which is an entry of the log itself: who exported what. Its number is what export_audit takes. For owners. */
create function public.start_audit_export(
  library uuid, format text, since timestamptz default null, until timestamptz default null, person uuid default null,
  kinds text[] default null
) returns bigint
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.require_owner(library);
  if format is null or format not in ('csv', 'jsonl') then
    raise exception 'The log is exported as csv or jsonl.' using errcode = '22023', hint = 'Choose one of the two.';
  end if;
  perform private.record_audit(library, 'audit.exported', null, jsonb_strip_nulls(jsonb_build_object('format', format,
    'since', since, 'until', until, 'person', person, 'kinds', to_jsonb(kinds))));
  return currval('public.activity_id_seq');
end
$$;

/* The next 5,000 entries of an export, oldest first, after one of them: an array of audit entries, which is empty after the last one.
   An export contains what was there when it began, and can be read for a day by whoever began it. */
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
grant execute on function public.audit_entries, public.audit_people, public.start_audit_export, public.export_audit to authenticated;
