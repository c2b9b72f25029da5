-- Share links: read-only access to a document without an account, until they expire or are revoked.

create table public.share_links (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  token_hash text not null unique, -- SHA-256, so that reading the table isn't enough to open the link
  expires_at timestamptz check (isfinite(expires_at)), -- null: until it is revoked
  revoked_at timestamptz check (isfinite(revoked_at)),
  view_count integer not null default 0,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  -- When an opening was last logged. Logged once an hour, because visitors have no account and must not fill the log.
  opening_recorded_at timestamptz,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index share_links_document_id_idx on public.share_links (document_id);
create index share_links_library_id_idx on public.share_links (library_id);
create index share_links_created_by_idx on public.share_links (created_by);

grant select (id, library_id, document_id, expires_at, revoked_at, view_count, created_by, created_at), delete,
  update (expires_at, revoked_at)
  on public.share_links to authenticated;

create policy "editors see share links" on public.share_links for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors change share links" on public.share_links for update to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors delete share links" on public.share_links for delete to authenticated
  using (library_id in (select private.library_ids('editor')));

-- Creates a share link: { id, token, expires_at }. The token isn't stored. Runs as its owner because users can't write its hash.
create function public.create_share_link(document uuid, expires_at timestamptz default null) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  token text := private.new_token();
  made public.share_links;
begin
  insert into public.share_links (library_id, document_id, token_hash, expires_at)
    select d.library_id, d.id, private.hash_token(token), create_share_link.expires_at from public.documents d
    where d.id = document and d.deleted_at is null and d.library_id in (select private.library_ids('editor'))
      -- Libraries that require a second factor can't be shared with people who give none.
      and not exists (select from public.libraries l where l.id = d.library_id and l.require_second_factor)
  returning * into made;
  if not found then
    perform private.refuse('sharing_denied');
  end if;
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', made.expires_at);
end
$$;
grant execute on function public.create_share_link to authenticated;

/* Returns what a share link shows: text, or file metadata. No row for an invalid link or a trashed document. Counts the view.
   Why a definer: visitors have no rights of their own. */
create function public.open_share_link(token text)
  returns table (title text, mime_type text, file_name text, size_bytes bigint, has_copy boolean, url text, body text,
    updated_at timestamptz)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  link public.share_links;
begin
  update public.share_links s set view_count = s.view_count + 1
  from public.documents d
  where s.token_hash = private.hash_token(open_share_link.token) and s.revoked_at is null
    and (s.expires_at is null or s.expires_at > now()) and d.id = s.document_id and d.deleted_at is null
    and not exists (select from public.libraries l where l.id = s.library_id and l.require_second_factor)
  returning s.* into link;
  if not found then return; end if;
  return query
    select d.title, v.mime_type, v.file_name, v.size_bytes, v.rendition_path is not null, d.url, v.body, d.updated_at
    from public.documents d left join public.versions v on v.id = d.current_version_id
    where d.id = link.document_id;
end
$$;
grant execute on function public.open_share_link to anon, authenticated;

-- Returns the paths of the file behind a share link and its readable copy, for signing. Called after the view was counted.
create function public.find_shared_file(token text) returns table (storage_path text, rendition_path text)
  language sql stable set search_path = ''
as $$
  select v.storage_path, v.rendition_path
  from public.share_links s
  join public.documents d on d.id = s.document_id and d.deleted_at is null
  join public.libraries l on l.id = s.library_id and not l.require_second_factor
  join public.versions v on v.id = d.current_version_id and v.storage_path is not null
  where s.token_hash = private.hash_token(find_shared_file.token) and s.revoked_at is null
    and (s.expires_at is null or s.expires_at > now())
$$;
grant execute on function public.find_shared_file to service_role;

-- A revoked link stays revoked: editors can't restore it by clearing a column.
create function private.guard_share_link() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null then return new; end if;
  if old.revoked_at is not null and (new.expires_at is distinct from old.expires_at or new.revoked_at is null) then
    perform private.refuse('share_link_revoked');
  end if;
  if new.revoked_at is not null then
    new.revoked_at := coalesce(old.revoked_at, now());
  end if;
  return new;
end
$$;
create trigger guard_share_link before update of expires_at, revoked_at on public.share_links
  for each row execute function private.guard_share_link();

/* Returns paths of a shared note's pictures, for signing. Only those in the current text: earlier versions aren't shared. */
create function public.find_shared_pictures(token text, names text[]) returns setof text
  language sql stable set search_path = ''
as $$
  select found.path
  from public.share_links s
  join public.documents d on d.id = s.document_id and d.deleted_at is null
  join public.libraries l on l.id = s.library_id and not l.require_second_factor
  join public.versions v on v.id = d.current_version_id
  cross join unnest(find_shared_pictures.names) as wanted (name)
  cross join lateral (values (d.library_id || '/' || d.id || '/' || wanted.name)) as found (path)
  where s.token_hash = private.hash_token(find_shared_pictures.token) and s.revoked_at is null
    and (s.expires_at is null or s.expires_at > now())
    and private.document_of_picture(found.path) = d.id and position('pictures/' || wanted.name in v.body) > 0
$$;
grant execute on function public.find_shared_pictures to service_role;
