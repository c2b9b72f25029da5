-- How far each person has come in each document; nobody else's business
create table public.reading_positions (
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null,
  document_id uuid not null,
  page integer check (page > 0), -- in what has pages
  share real not null default 0 check (share between 0 and 1), -- of the whole length
  updated_at timestamptz not null default now(),
  primary key (user_id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
create index reading_positions_document_id_idx on public.reading_positions (document_id);
create index reading_positions_library_id_idx on public.reading_positions (library_id);

alter table public.reading_positions enable row level security;
grant select, delete, insert (library_id, document_id, page, share), update (library_id, document_id, page, share)
  on public.reading_positions to authenticated;
grant all on public.reading_positions to service_role;
create policy "readers keep their own place" on public.reading_positions for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.documents d where d.id = document_id)
  );
create trigger touch_updated_at before update on public.reading_positions
  for each row execute function private.touch_updated_at();
