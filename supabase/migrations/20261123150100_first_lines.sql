-- The first lines of a document, for its card on the shelf
alter table public.documents add column excerpt text not null default '' check (char_length(excerpt) <= 240);

/* The beginning of a document's first passage, which has the words without Markdown's signs: at most 240 characters, cut between
   words where there are any. */
create function private.first_lines(document uuid) returns text
  language sql stable set search_path = ''
as $$
  select coalesce((
    select case when char_length(words) <= 240 then words else regexp_replace(left(words, 239), '\s+\S*$', '') || '…' end
    from (
      select trim(regexp_replace(p.content, '\s+', ' ', 'g')) as words
      from public.passages p where p.document_id = document order by p.ordinal limit 1
    ) first
  ), '')
$$;

-- Whenever a document has been read, when its old passages are gone. Runs as its owner to see what a run has just stored.
create function private.keep_first_lines() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  new.excerpt := private.first_lines(new.id);
  return new;
end
$$;
create trigger keep_first_lines before update of state on public.documents
  for each row when (new.state = 'ready') execute function private.keep_first_lines();

update public.documents d set excerpt = private.first_lines(d.id) where d.state = 'ready';
