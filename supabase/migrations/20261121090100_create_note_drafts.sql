-- What somebody is writing in a note and has not made a version of yet: kept as it is typed, each person's own
create table public.note_drafts (
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null,
  document_id uuid not null,
  based_on uuid references public.versions on delete set null, -- the version that the writing began from
  body text not null check (octet_length(body) <= 1048576),
  updated_at timestamptz not null default now(),
  primary key (user_id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
create index note_drafts_document_id_idx on public.note_drafts (document_id);
create index note_drafts_library_id_idx on public.note_drafts (library_id);
create index note_drafts_based_on_idx on public.note_drafts (based_on);

alter table public.note_drafts enable row level security;
grant select, delete, insert (library_id, document_id, based_on, body), update (library_id, document_id, based_on, body)
  on public.note_drafts to authenticated;
grant all on public.note_drafts to service_role;
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
