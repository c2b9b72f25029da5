-- What members say about a document or about one of its passages, in threads that can be resolved
create table public.comments (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  parent_id uuid,
  -- The anchor. Quote and place are kept beside the passage's id, so that a comment outlives the version it was made on.
  passage_id uuid,
  quote text check (char_length(quote) <= 2000),
  page integer check (page > 0),
  start_offset integer check (start_offset >= 0),
  end_offset integer check (end_offset >= start_offset),
  -- Without words it is a highlight: a place in the text that somebody marked.
  body text not null check (
    char_length(trim(body)) between 1 and 10000 or (body = '' and quote is not null and parent_id is null)),
  resolved_at timestamptz,
  resolved_by uuid references public.profiles on delete set null,
  edited_at timestamptz,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  unique (id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  -- Both columns: an anchor lies in the comment's own document, an answer stays with its question's.
  foreign key (passage_id, document_id) references public.passages (id, document_id) on delete set null (passage_id),
  foreign key (parent_id, document_id) references public.comments (id, document_id) on delete cascade
);
create index comments_document_id_idx on public.comments (document_id, created_at);
create index comments_parent_id_idx on public.comments (parent_id);
create index comments_passage_id_idx on public.comments (passage_id);
create index comments_library_id_idx on public.comments (library_id);
create index comments_created_by_idx on public.comments (created_by);

alter table public.comments enable row level security;
grant select, delete,
  insert (id, library_id, document_id, parent_id, passage_id, quote, page, start_offset, end_offset, body),
  update (body, resolved_at) on public.comments to authenticated;
grant all on public.comments to service_role;

create policy "members see comments on documents they see" on public.comments for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "members comment on documents they see" on public.comments for insert to authenticated
  with check (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "authors and editors change comments" on public.comments for update to authenticated
  using (
    library_id in (select private.library_ids('editor'))
    or (created_by = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
create policy "authors and owners delete comments" on public.comments for delete to authenticated
  using (
    library_id in (select private.library_ids('owner'))
    or (created_by = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );

-- An editor may resolve what another wrote, never rewrite it; and who resolved it is not the client's to say.
create function private.guard_comment() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if new.body is distinct from old.body then
    if (select auth.uid()) is not null and old.created_by is distinct from (select auth.uid()) then
      raise exception 'Only its author can change the words of a comment.' using errcode = '42501';
    end if;
    new.edited_at := now();
  end if;
  if (new.resolved_at is null) <> (old.resolved_at is null) then
    new.resolved_at := case when new.resolved_at is not null then now() end;
    new.resolved_by := case when new.resolved_at is not null then (select auth.uid()) end;
  end if;
  return new;
end
$$;
create trigger guard_comment before update of body, resolved_at on public.comments
  for each row execute function private.guard_comment();

/* Called when a document's passages were made anew (store_passages). Comments whose passage is gone find the passage that holds their words now, the nearest to where they were. Enough of the
   quote to be found once counts: it may run over the end of a passage. */
create function private.anchor_comments(document uuid) returns void
  language sql security definer set search_path = ''
as $$
  update public.comments c set passage_id = found.id, page = found.page
  from public.comments lost, lateral (
    select p.id, p.page from public.passages p
    where p.document_id = lost.document_id
      and position(left(private.letters(lost.quote), 120) in private.letters(p.content)) > 0
    order by abs(coalesce(p.page, 0) - coalesce(lost.page, 0)), p.ordinal limit 1
  ) found
  where c.id = lost.id and lost.document_id = document and lost.passage_id is null and private.letters(lost.quote) <> ''
$$;

/* Everyone whose name the caller may know: who shares a library with them, and for a guest those whose documents and comments
   they see. Runs as its owner because the answer decides which profiles there are for the caller. */
create function private.fellow_ids() returns setof uuid
  language sql stable security definer set search_path = ''
as $$
  with seen as materialized (
    select d.id, d.created_by from public.documents d
    where d.deleted_at is null and d.collection_id in (select private.granted_collections())
  )
  select user_id from public.members where library_id in (select private.library_ids())
  union select created_by from seen
  union select c.created_by from public.comments c join seen s on s.id = c.document_id
$$;
grant execute on function private.fellow_ids to authenticated, service_role;
create policy "people see themselves and their fellows" on public.profiles for select to authenticated
  using (id = (select auth.uid()) or id in (select private.fellow_ids()));

-- A remark on selected words finds its passage at once.
create function private.anchor_new_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.anchor_comments(new.document_id);
  return null;
end
$$;
create trigger anchor_new_comment after insert on public.comments
  for each row when (new.quote is not null and new.passage_id is null) execute function private.anchor_new_comment();
