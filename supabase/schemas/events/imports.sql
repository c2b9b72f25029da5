-- Imports: who is notified when many documents have been read.

/* A person's uploads to a library that were read since the last notification. */
create table private.imports (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  done integer not null default 0,
  failed integer not null default 0,
  document_id uuid not null, -- the latest failed one, or else the latest
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  primary key (library_id, user_id)
);

create index imports_user_id_idx on private.imports (user_id);

/* Returns who uploaded a document's current version or added a link; null for notes. */
create function private.uploader(document public.documents) returns uuid
  language sql stable set search_path = ''
as $$
  select case when document.kind <> 'note' then coalesce(
    (select v.created_by from public.versions v where v.id = document.current_version_id), document.created_by) end
$$;

/* Counts a document read for the first time; rereading isn't news. Deferred, because the state is known at commit.
   Why a definer: it runs at the commit of any user, who can't write imports. */
create function private.count_reading() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
  person uuid;
begin
  select * into document from public.documents d
    where d.id = old.document_id and d.deleted_at is null and d.state in ('ready', 'failed');
  select p.id into person from public.profiles p where p.id = private.uploader(document);
  if person is null then return null; end if;
  insert into private.imports as i (library_id, user_id, done, failed, document_id, started_at)
    values (document.library_id, person, (document.state = 'ready')::integer, (document.state = 'failed')::integer, document.id,
      coalesce((select v.created_at from public.versions v where v.id = document.current_version_id), document.created_at))
  on conflict (library_id, user_id) do update set
    done = i.done + excluded.done, failed = i.failed + excluded.failed, ended_at = now(),
    document_id = case when excluded.failed > 0 or i.failed = 0 then excluded.document_id else i.document_id end,
    started_at = least(i.started_at, excluded.started_at);
  return null;
end
$$;
create constraint trigger count_reading after delete on private.indexing_runs
  deferrable initially deferred for each row when (old.run is not null and old.priority = 1) execute function private.count_reading();

/* Notifies about finished imports: nothing waits, and nothing was read for `quiet`. Merges a person's uploads to a library, and an unread
   earlier notification. Skips imports of less than a minute without failures, which the person has watched, and of deleted files. */
create function private.notify_of_imports(quiet interval default '20 seconds') returns void
  language plpgsql set search_path = ''
as $$
declare
  ended private.imports;
  earlier record;
begin
  for ended in
    delete from private.imports i
    where i.ended_at <= now() - quiet and not exists (
      select from private.indexing_runs r join public.documents d on d.id = r.document_id
      where r.priority = 1 and d.library_id = i.library_id and d.deleted_at is null and private.uploader(d) = i.user_id)
    returning i.*
  loop
    continue when ended.done + ended.failed = 0;
    continue when ended.failed = 0 and ended.ended_at - ended.started_at < interval '1 minute';
    with replaced as (
      delete from public.notifications n
      where n.user_id = ended.user_id and n.library_id = ended.library_id and n.kind = 'import' and n.read_at is null
      returning n.amount, n.failed
    )
    select coalesce(sum(r.amount), 0)::integer as done, coalesce(sum(r.failed), 0)::integer as failed into earlier from replaced r;
    insert into public.notifications (user_id, kind, library_id, document_id, amount, failed)
      select ended.user_id, 'import', ended.library_id,
        -- Link to the only document, or the only failed one.
        case when counts.failed = 1 or counts.done + counts.failed = 1 then d.id end, counts.done, counts.failed
      from (select ended.done + earlier.done as done, ended.failed + earlier.failed as failed) counts
      left join public.documents d on d.id = ended.document_id and d.library_id = ended.library_id;
  end loop;
end
$$;
