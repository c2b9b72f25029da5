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
    -- Who was invited, what was shared and granted is the owners' to know.
    and (verb !~ '^(invitation|share|grant)\.' or library_id in (select private.library_ids('owner')))
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

create function private.record_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'invitation.sent', null, jsonb_build_object('email', new.email, 'role', new.role));
  elsif old.accepted_at is null then
    perform private.record(old.library_id, 'invitation.withdrawn', null, jsonb_build_object('email', old.email, 'role', old.role));
  end if;
  return null;
end
$$;
create trigger record_invitation after insert or delete on public.invitations
  for each row execute function private.record_invitation();

create function private.record_share_link() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  subject jsonb := jsonb_build_object(
    'title', (select title from public.documents where id = new.document_id), 'expires_at', new.expires_at);
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'share.created', new.document_id, subject);
  elsif new.revoked_at is not null and old.revoked_at is null then
    perform private.record(new.library_id, 'share.revoked', new.document_id, subject);
  end if;
  return null;
end
$$;
create trigger record_share_link after insert or update of revoked_at on public.share_links
  for each row execute function private.record_share_link();

create function private.record_grant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  given public.collection_grants := coalesce(new, old);
begin
  perform private.record(
    given.library_id, case tg_op when 'DELETE' then 'grant.removed' else 'grant.given' end, null, jsonb_build_object(
      'user', given.user_id, 'name', (select display_name from public.profiles where id = given.user_id),
      'collection', (select name from public.collections where id = given.collection_id), 'role', given.role));
  return null;
end
$$;
create trigger record_grant after insert or update or delete on public.collection_grants
  for each row execute function private.record_grant();

create function private.record_library() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.name <> old.name then
    perform private.record(new.id, 'library.renamed', null, jsonb_build_object('name', new.name, 'from', old.name));
  end if;
  if new.require_second_factor <> old.require_second_factor then
    perform private.record(new.id, case when new.require_second_factor then 'library.locked' else 'library.unlocked' end, null, '{}');
  end if;
  return null;
end
$$;
create trigger record_library after update of name, require_second_factor on public.libraries
  for each row execute function private.record_library();

-- Up to where a person has looked through what happened: what is younger is new to them.
create table public.activity_marks (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  seen bigint not null,
  primary key (user_id, library_id)
);
create index activity_marks_library_id_idx on public.activity_marks (library_id);
alter table public.activity_marks enable row level security;
grant select, delete, insert (library_id, seen), update (seen) on public.activity_marks to authenticated;
grant all on public.activity_marks to service_role;
create policy "members keep their own marks" on public.activity_marks for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

create function public.mark_activity_seen(library uuid, up_to bigint) returns void
  language sql set search_path = ''
as $$
  insert into public.activity_marks (library_id, seen) values (library, up_to)
  on conflict (user_id, library_id) do update set seen = greatest(activity_marks.seen, excluded.seen)
$$;
/* What others did in each of the caller's libraries since they last looked: at most a hundred of each are counted. Under the
   caller's own rights. */
create function public.unread_activity() returns table (library_id uuid, unread integer)
  language sql stable set search_path = ''
as $$
  select m.library_id, n.unread
  from public.members m
  left join public.activity_marks k on k.library_id = m.library_id and k.user_id = m.user_id
  cross join lateral (
    select count(*)::integer as unread from (
      select from public.activity a
      where a.library_id = m.library_id and a.id > coalesce(k.seen, 0) and a.actor_id is distinct from m.user_id
        and a.created_at >= m.joined_at
      limit 100
    ) newer
  ) n
  where m.user_id = (select auth.uid()) and n.unread > 0
$$;
grant execute on function public.mark_activity_seen, public.unread_activity to authenticated;
