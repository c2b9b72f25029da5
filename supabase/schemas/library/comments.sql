-- Comments on documents and passages, in threads that can be resolved.

create table public.comments (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  parent_id uuid,
  -- The anchor. Quote and position are stored as well, so that a comment outlives the version it was made on.
  passage_id uuid,
  quote text check (char_length(quote) <= 2000),
  page integer check (page > 0),
  start_offset integer check (start_offset >= 0),
  end_offset integer check (end_offset >= start_offset),
  -- Empty for a highlight without a comment.
  body text not null check (
    trim(body) <> '' and char_length(body) <= 10000 or (body = '' and quote is not null and parent_id is null)),
  resolved_at timestamptz check (isfinite(resolved_at)),
  resolved_by uuid references public.profiles on delete set null,
  edited_at timestamptz,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  -- Orders also the comments of one transaction (import_document).
  created_at timestamptz not null default clock_timestamp(),
  -- Null is the first color.
  color text check (color in ('yellow', 'green', 'blue', 'pink')),
  unique (id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  -- Composite keys: an anchor is in the comment's document, and a reply stays with its thread.
  foreign key (passage_id, document_id) references public.passages (id, document_id) on delete set null (passage_id),
  foreign key (parent_id, document_id) references public.comments (id, document_id) on delete cascade,
  constraint comments_color_needs_quote check (color is null or quote is not null)
);
comment on column public.comments.start_offset is
  'Letters and digits before the quote, on its page or in a document without pages: the same words may recur.';

create index comments_document_id_idx on public.comments (document_id, created_at);
create index comments_parent_id_idx on public.comments (parent_id);
create index comments_passage_id_idx on public.comments (passage_id);
create index comments_library_id_idx on public.comments (library_id);
create index comments_created_by_idx on public.comments (created_by);
create index comments_resolved_by_idx on public.comments (resolved_by) where resolved_by is not null;

grant select, delete,
  insert (id, library_id, document_id, parent_id, passage_id, quote, page, start_offset, end_offset, body, color),
  update (body, resolved_at, color)
  on public.comments to authenticated;
grant select, insert (id, library_id, document_id, parent_id, quote, page, body), update (body, resolved_at), delete
  on public.comments to api_key;

create policy "members see comments on documents they see" on public.comments for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "members comment on documents they see" on public.comments for insert to authenticated, api_key
  with check (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "authors and editors change comments" on public.comments for update to authenticated, api_key
  using (
    library_id in (select private.library_ids('editor'))
    or (created_by = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
create policy "authors and owners delete comments" on public.comments for delete to authenticated, api_key
  using (
    library_id in (select private.library_ids('owner'))
    or (created_by = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );

-- Editors may resolve other people's comments but not rewrite them. The resolver isn't set by the client, and only authors change a color.
create function private.guard_comment() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  person constant uuid := private.caller_id();
begin
  if new.body is distinct from old.body then
    if person is not null and old.created_by is distinct from person then
      perform private.refuse('comment_of_another');
    end if;
    new.edited_at := now();
  end if;
  if new.color is distinct from old.color and person is not null and old.created_by is distinct from person then
    perform private.refuse('highlight_of_another');
  end if;
  if (new.resolved_at is null) <> (old.resolved_at is null) then
    new.resolved_at := case when new.resolved_at is not null then now() end;
    new.resolved_by := case when new.resolved_at is not null then person end;
  else
    new.resolved_at := old.resolved_at;
  end if;
  return new;
end
$$;
create trigger guard_comment before update of body, resolved_at, color on public.comments
  for each row execute function private.guard_comment();

/* Runs after replace_passages. Comments whose passage is gone move to the nearest with enough of the quote, which may span two passages.
   Hidden passages don't count. A comment changes its page only if its words have moved. */
create function private.anchor_comments(document uuid) returns void
  language sql set search_path = ''
as $$
  update public.comments c set passage_id = found.id,
    page = case when found.page between c.page - 1 and c.page then c.page else found.page end
  from public.comments lost, lateral (
    select p.id, p.page from public.passages p
    where p.document_id = lost.document_id and p.reading_id <> all (array(select private.unfinished_readings()))
      and position(left(private.letters(lost.quote), 120) in private.letters(p.content)) > 0
    order by coalesce(p.page not between lost.page - 1 and lost.page, false), abs(coalesce(p.page, 0) - coalesce(lost.page, 0)),
      p.ordinal limit 1
  ) found
  where c.id = lost.id and lost.document_id = document and lost.passage_id is null and private.letters(lost.quote) <> ''
$$;

/* Anchors a new comment on its own page, or in a passage that began on the previous one: elsewhere the same words are a different place. */
create function private.anchor_new_comment() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.passage_id := (
    select p.id from public.passages p
    where p.document_id = new.document_id and p.reading_id <> all (array(select private.unfinished_readings()))
      and (new.page is null or p.page is null or p.page between new.page - 1 and new.page)
      and private.letters(new.quote) <> ''
      and position(left(private.letters(new.quote), 120) in private.letters(p.content)) > 0
    order by p.page desc nulls last, p.ordinal limit 1);
  return new;
end
$$;
create trigger anchor_new_comment before insert on public.comments
  for each row when (new.quote is not null and new.passage_id is null) execute function private.anchor_new_comment();

/* Runs after a comment is added, changed or deleted. Why a definer: users can't write notifications or the log. */
create function private.after_comment_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    -- Not logged when the whole document is deleted.
    if exists (select from public.documents d where d.id = old.document_id) then
      perform private.record_audit(old.library_id, 'comment.deleted', old.document_id,
        private.comment_subject(old) || jsonb_build_object('author', old.created_by));
    end if;
    return null;
  end if;
  if tg_op = 'INSERT' or new.body <> old.body then perform private.notify_of_comment(new, tg_op = 'INSERT'); end if;
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'comment.added', new.document_id, private.comment_subject(new));
  elsif new.resolved_at is not null and old.resolved_at is null then
    perform private.record(new.library_id, 'comment.resolved', new.document_id, private.comment_subject(new));
  elsif new.resolved_at is null and old.resolved_at is not null then
    perform private.record_audit(new.library_id, 'comment.reopened', new.document_id, private.comment_subject(new));
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete or update of body, resolved_at on public.comments
  for each row execute function private.after_comment_change();
