-- Notes: drafts, links to documents, and templates.

-- Unsaved text of a note, stored as each person types
create table public.note_drafts (
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null,
  document_id uuid not null,
  based_on uuid references public.versions on delete set null, -- the version that was edited
  body text not null check (octet_length(body) <= 1048576),
  updated_at timestamptz not null default now(),
  primary key (user_id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index note_drafts_document_id_idx on public.note_drafts (document_id);
create index note_drafts_library_id_idx on public.note_drafts (library_id);
create index note_drafts_based_on_idx on public.note_drafts (based_on);

grant select, delete, insert (library_id, document_id, based_on, body), update (library_id, document_id, based_on, body)
  on public.note_drafts to authenticated;

create policy "editors keep their own drafts" on public.note_drafts for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid())
    and exists (
      select from public.documents d
      where d.id = document_id and d.kind = 'note' and (
        d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor'))))
  );
create trigger touch_updated_at before update on public.note_drafts
  for each row execute function private.touch_updated_at();

-- Links to documents in each note's current version, for "Linked from"
create table public.document_links (
  library_id uuid not null,
  source_id uuid not null,
  target_id uuid not null,
  primary key (source_id, target_id),
  foreign key (source_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (target_id, library_id) references public.documents (id, library_id) on delete cascade,
  check (source_id <> target_id)
);

create index document_links_target_id_idx on public.document_links (target_id, library_id);
create index document_links_source_id_idx on public.document_links (source_id, library_id);

grant select on public.document_links to authenticated;

-- People who see the note see its links (the subquery is under row security).
create policy "members see the links of notes they see" on public.document_links for select to authenticated
  using (exists (select from public.documents d where d.id = source_id));

/* Updates a note's links from its current version: `/l/<library>/d/<document>`, within its library. */
create function private.update_document_links(note public.documents) returns void
  language sql set search_path = ''
as $$
  delete from public.document_links l where l.source_id = note.id;
  insert into public.document_links (library_id, source_id, target_id)
  select distinct d.library_id, note.id, d.id
  from public.versions v,
    lateral regexp_matches(v.body,
      '/l/' || note.library_id || '/d/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') as found (ids)
    join public.documents d on d.id = found.ids[1]::uuid and d.library_id = note.library_id
  where v.id = note.current_version_id and d.id <> note.id;
$$;

-- Templates for notes. Members read them, editors write them.
create table public.note_templates (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  title text not null check (char_length(title) <= 300 and trim(title) <> ''),
  body text not null default '' check (octet_length(body) <= 1048576),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  -- Identifies the version that a client has read, to detect concurrent changes.
  updated_at timestamptz not null default now()
);

create index note_templates_library_id_idx on public.note_templates (library_id, title);
create index note_templates_created_by_idx on public.note_templates (created_by);

grant select, delete, insert (id, library_id, title, body), update (title, body) on public.note_templates to authenticated;

create policy "members read templates" on public.note_templates for select to authenticated
  using (library_id in (select private.library_ids('reader')));
create policy "editors add templates" on public.note_templates for insert to authenticated
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change templates" on public.note_templates for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete templates" on public.note_templates for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create trigger touch_updated_at before update on public.note_templates
  for each row execute function private.touch_updated_at();

/* Deletes abandoned blank notes after a day: the page that would have discarded them was closed. */
create function private.purge_blank_notes() returns void
  language sql set search_path = ''
as $$
  delete from public.documents d
  where d.kind = 'note' and d.created_at < now() - interval '1 day' and private.is_blank_note(d)
    and not exists (select from public.note_updates u where u.document_id = d.id);
$$;

/* Saves a note's next version. Returns 409 if a newer version or change than `based_on` exists, so that the app can show both. */
create function public.save_note(document uuid, body text, based_on uuid) returns public.versions
  language plpgsql set search_path = ''
as $$
declare
  note public.documents;
  saved public.versions;
begin
  select * into note from public.documents d where d.id = document for no key update;
  if not found then
    perform private.refuse('note_denied');
  end if;
  if coalesce(note.proposed_version_id, note.current_version_id) is distinct from based_on then
    perform private.refuse('note_saved_since');
  end if;
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (note.library_id, document, save_note.body, 'text/markdown', 0) returning * into saved;
  return saved;
end
$$;
grant execute on function public.save_note to authenticated;
