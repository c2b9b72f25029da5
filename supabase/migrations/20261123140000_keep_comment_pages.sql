-- A comment stays on the page where it was made

comment on column public.comments.start_offset is
  'Letters and digits before the quote, on its page or in a document without pages: the same words may recur.';

/* A new comment finds its passage on its own page, or in one that began on the page before: elsewhere the same words
   are another place. */
create or replace function private.anchor_new_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.comments c set passage_id = (
    select p.id from public.passages p
    where p.document_id = new.document_id and p.reading_id <> all (array(select private.unfinished_readings()))
      and (new.page is null or p.page is null or p.page between new.page - 1 and new.page)
      and position(left(private.letters(new.quote), 120) in private.letters(p.content)) > 0
    order by p.page desc nulls last, p.ordinal limit 1)
  where c.id = new.id and private.letters(new.quote) <> '';
  return null;
end
$$;

/* As before, but a comment changes its page only where its words have left it. */
create or replace function private.anchor_comments(document uuid) returns void
  language sql security definer set search_path = ''
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
