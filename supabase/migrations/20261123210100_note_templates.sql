-- Texts that notes of a library begin with. Members read them, editors write them.
create table public.note_templates (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  title text not null check (char_length(title) <= 300 and trim(title) <> ''),
  body text not null default '' check (octet_length(body) <= 1048576),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  -- Names the state that somebody has read, so that nobody overwrites what another has saved meanwhile.
  updated_at timestamptz not null default now()
);
create index note_templates_library_id_idx on public.note_templates (library_id, title);
create index note_templates_created_by_idx on public.note_templates (created_by);
create trigger touch_updated_at before update on public.note_templates
  for each row execute function private.touch_updated_at();

alter table public.note_templates enable row level security;
grant select, delete, insert (id, library_id, title, body), update (title, body) on public.note_templates to authenticated;
grant all on public.note_templates to service_role;
create policy "members read templates" on public.note_templates for select to authenticated
  using (library_id in (select private.library_ids('reader')));
create policy "editors add templates" on public.note_templates for insert to authenticated
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change templates" on public.note_templates for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete templates" on public.note_templates for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
