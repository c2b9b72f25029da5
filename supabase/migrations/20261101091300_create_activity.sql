-- What happened in a library and who did it; written by triggers, changed by nobody
create table public.activity (
  id bigint generated always as identity primary key,
  library_id uuid not null references public.libraries on delete cascade,
  actor_id uuid references public.profiles on delete set null,
  verb text not null check (verb ~ '^[a-z]+\.[a-z_]+$'),
  document_id uuid references public.documents on delete set null,
  subject jsonb not null default '{}', -- names as they were then: a title, a member's name and roles
  created_at timestamptz not null default now()
);
create index activity_library_id_idx on public.activity (library_id, created_at desc);
create index activity_document_id_idx on public.activity (document_id);
create index activity_actor_id_idx on public.activity (actor_id);

alter table public.activity enable row level security;
grant select on public.activity to authenticated;
grant all on public.activity to service_role;
-- What is about a document is as visible as the document; about one that is gone for good, editors may still know.
create policy "members see what happened" on public.activity for select to authenticated
  using (
    library_id in (select private.library_ids())
    and (
      (document_id is null and verb !~ '^(document|comment)\.')
      or library_id in (select private.library_ids('editor'))
      or exists (select from public.documents d where d.id = document_id)
    )
  );

create function private.record(library uuid, verb text, document uuid, subject jsonb) returns void
  language sql security definer set search_path = ''
as $$
  -- When a library is deleted its rows go one after the other: there is nothing left to record them in.
  insert into public.activity (library_id, actor_id, verb, document_id, subject)
    select library, (select p.id from public.profiles p where p.id = auth.uid()), verb, document, subject
    where exists (select from public.libraries l where l.id = library)
$$;

create function private.record_document() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  subject jsonb := jsonb_build_object('title', coalesce(new.title, old.title), 'kind', coalesce(new.kind, old.kind));
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'document.added', new.id, subject);
  elsif tg_op = 'DELETE' then
    perform private.record(old.library_id, 'document.deleted', null, subject);
  else
    if new.title <> old.title then
      perform private.record(new.library_id, 'document.renamed', new.id, subject || jsonb_build_object('from', old.title));
    end if;
    if new.collection_id is distinct from old.collection_id then
      perform private.record(new.library_id, 'document.moved', new.id, subject);
    end if;
    if (new.deleted_at is null) <> (old.deleted_at is null) then
      perform private.record(
        new.library_id, case when new.deleted_at is null then 'document.restored' else 'document.trashed' end, new.id, subject);
    end if;
    if old.current_version_id is not null and new.current_version_id <> old.current_version_id then
      perform private.record(new.library_id, 'document.revised', new.id, subject);
    end if;
  end if;
  return null;
end
$$;
create trigger record_document after insert or delete
  or update of title, collection_id, deleted_at, current_version_id on public.documents
  for each row execute function private.record_document();

create function private.record_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'comment.added', new.document_id, jsonb_build_object('comment', new.id));
  elsif new.resolved_at is not null and old.resolved_at is null then
    perform private.record(new.library_id, 'comment.resolved', new.document_id, jsonb_build_object('comment', new.id));
  end if;
  return null;
end
$$;
create trigger record_comment after insert or update of resolved_at on public.comments
  for each row execute function private.record_comment();

create function private.record_member() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  subject jsonb := jsonb_build_object(
    'user', person, 'name', (select display_name from public.profiles where id = person), 'role', coalesce(new.role, old.role));
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'member.joined', null, subject);
  elsif tg_op = 'DELETE' then
    perform private.record(old.library_id, case when person = auth.uid() then 'member.left' else 'member.removed' end, null, subject);
  elsif new.role <> old.role then
    perform private.record(new.library_id, 'member.role_changed', null, subject || jsonb_build_object('from', old.role));
  end if;
  return null;
end
$$;
create trigger record_member after insert or update or delete on public.members
  for each row execute function private.record_member();
