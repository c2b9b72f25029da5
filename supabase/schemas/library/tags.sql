-- A library's tags.

create table public.tags (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  name text not null check (trim(name) <> '' and char_length(name) <= 60),
  color text not null default 'slate' check (color ~ '^[a-z]{3,20}$'), -- from the app's palette
  created_at timestamptz not null default now(),
  unique (id, library_id)
);

create unique index tags_name_idx on public.tags (library_id, lower(name));

grant select, delete, insert (id, library_id, name, color), update (name, color) on public.tags to authenticated;
grant select, insert (id, library_id, name, color) on public.tags to api_key;

create policy "editors add tags" on public.tags for insert to authenticated, api_key
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change tags" on public.tags for update to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors delete tags" on public.tags for delete to authenticated
  using (library_id in (select private.library_ids('editor')));

create table public.document_tags (
  library_id uuid not null,
  document_id uuid not null,
  tag_id uuid not null,
  primary key (document_id, tag_id),
  -- Both keys include the library, so tags can't cross libraries.
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (tag_id, library_id) references public.tags (id, library_id) on delete cascade
);

create policy "members see tags, guests those of documents they see" on public.tags for select to authenticated, api_key
  using (
    library_id in (select private.library_ids())
    or (library_id in (select private.library_ids('guest')) and exists (select from public.document_tags t where t.tag_id = tags.id))
  );

create index document_tags_tag_id_idx on public.document_tags (tag_id);
create index document_tags_library_id_idx on public.document_tags (library_id);

grant select, delete, insert on public.document_tags to authenticated;
grant select, insert, delete on public.document_tags to api_key;

/* Takes a tag from many documents. */
create function public.untag_documents(documents uuid[], tag uuid) returns void
  language sql set search_path = ''
as $$ delete from public.document_tags t where t.tag_id = untag_documents.tag and t.document_id = any (documents) $$;
grant execute on function public.untag_documents to authenticated;

create policy "members see tags of documents they see" on public.document_tags for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "editors tag documents" on public.document_tags for insert to authenticated, api_key
  with check (library_id in (select private.library_ids('editor')));
create policy "editors untag documents" on public.document_tags for delete to authenticated, api_key
  using (library_id in (select private.library_ids('editor')));
