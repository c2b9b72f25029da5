-- Which notes link to a document: the links of each note's current version, for "Linked from"
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

alter table public.document_links enable row level security;
grant select on public.document_links to authenticated;
grant all on public.document_links to service_role;
-- Whoever sees the note sees where it links to (the sub-select is under row security).
create policy "members see the links of notes they see" on public.document_links for select to authenticated
  using (exists (select from public.documents d where d.id = source_id));

/* Replaces the links of a note by those of its current version: `/l/<library>/d/<document>`, within its own library.
   Runs as its owner because nobody else writes links. */
create function private.keep_document_links() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.document_links l where l.source_id = new.id;
  insert into public.document_links (library_id, source_id, target_id)
  select distinct d.library_id, new.id, d.id
  from public.versions v,
    lateral regexp_matches(v.body,
      '/l/' || new.library_id || '/d/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') as found (ids)
    join public.documents d on d.id = found.ids[1]::uuid and d.library_id = new.library_id
  where v.id = new.current_version_id and d.id <> new.id;
  return null;
end
$$;
create trigger keep_document_links after update of current_version_id on public.documents
  for each row when (new.kind = 'note' and new.current_version_id is distinct from old.current_version_id)
  execute function private.keep_document_links();

insert into public.document_links (library_id, source_id, target_id)
select distinct d.library_id, d.id, target.id
from public.documents d join public.versions v on v.id = d.current_version_id,
  lateral regexp_matches(v.body,
    '/l/' || d.library_id || '/d/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') as found (ids)
  join public.documents target on target.id = found.ids[1]::uuid
where d.kind = 'note' and target.library_id = d.library_id and target.id <> d.id;
