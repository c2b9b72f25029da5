-- Legal holds, which keep documents from being deleted.

create table public.legal_holds (
  document_id uuid primary key,
  library_id uuid not null,
  reason text not null check (trim(reason) <> '' and char_length(reason) <= 500),
  placed_by uuid default auth.uid() references public.profiles on delete set null,
  placed_at timestamptz not null default now(),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index legal_holds_library_id_idx on public.legal_holds (library_id);
create index legal_holds_placed_by_idx on public.legal_holds (placed_by);

grant select, delete, insert (library_id, document_id, reason) on public.legal_holds to authenticated;

create policy "members see holds of documents they see" on public.legal_holds for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "owners place holds" on public.legal_holds for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners lift holds" on public.legal_holds for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

/* Returns when a trashed document is deleted permanently; null if it isn't in the trash or is under a legal hold.
   Why a definer: a guest who edits a collection sees its trash but not the rules. */
create function public.gone_at(document public.documents) returns timestamptz
  language sql stable security definer set search_path = ''
as $$
  select greatest(document.deleted_at + make_interval(days => coalesce(r.trash_days, 30)), private.kept_until(document))
  from private.retention_rule_of(document.library_id, document.collection_id) r
  where document.deleted_at is not null and not exists (select from public.legal_holds h where h.document_id = document.id)
$$;
grant execute on function public.gone_at to authenticated, service_role;

-- A legal hold also blocks the trash, which hides a document from readers and leads to its deletion.
create function private.refuse_held(document uuid) returns void
  language plpgsql set search_path = '' -- keeps the plan for the next document
as $$
begin
  if exists (select from public.legal_holds h where h.document_id = refuse_held.document) then
    perform private.refuse_kept(private.why_kept(d)) from public.documents d where d.id = refuse_held.document;
  end if;
end
$$;

-- Comments on a document under a legal hold are frozen like the document.
-- Why a definer: kept documents can't be changed even by people who can't see the reason.
create function private.guard_held_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.refuse_held(old.document_id);
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger guard_held_deletion before delete on public.comments for each row execute function private.guard_held_comment();
create trigger guard_held_change before update of body, color on public.comments
  for each row when ((old.body, old.color) is distinct from (new.body, new.color)) execute function private.guard_held_comment();
