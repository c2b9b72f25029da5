-- Highlights of a library's documents: comments on a quote, with or without text.

create index comments_highlights_idx on public.comments (library_id, created_at desc, id desc)
  where quote is not null and parent_id is null;

/* Returns visible highlights, newest first, without trashed documents. `color` may be `comment` for those with text; a collection includes
   nested ones; each word must be in the passage, comment or title. Pages continue after the previous one's last row. */
create function public.find_highlights(
  library uuid, person uuid default null, color text default null, collection uuid default null, document uuid default null,
  words text default null, since timestamptz default null, before_time timestamptz default null, before_id uuid default null,
  max_results integer default 200
) returns setof public.comments
  -- A custom plan reads a page of ten thousand in index order; a generic plan can't.
  language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' rows 200
as $$
#variable_conflict use_column
begin
  return query with recursive within (id) as (
    select find_highlights.collection where find_highlights.collection is not null
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  ), wanted (patterns) as (
    select array_agg('%' || word || '%')
    from regexp_split_to_table(lower(private.plain_words(left(find_highlights.words, 300))), '\s+') word where word <> ''
  )
  select c.*
  from public.comments c join public.documents d on d.id = c.document_id, wanted
  where c.library_id = find_highlights.library and c.quote is not null and c.parent_id is null and d.deleted_at is null
    and (before_time is null or (c.created_at, c.id) < (before_time, before_id))
    and (person is null or c.created_by = person)
    and (find_highlights.color is null or case when find_highlights.color = 'comment' then c.body <> ''
      else c.body = '' and coalesce(c.color, 'yellow') = find_highlights.color end)
    and (find_highlights.collection is null or d.collection_id in (select id from within))
    and (find_highlights.document is null or c.document_id = find_highlights.document)
    and (since is null or c.created_at >= since)
    and (wanted.patterns is null
      or lower(private.plain_words(concat_ws(' ', c.quote, c.body, d.title))) like all (wanted.patterns))
  order by c.created_at desc, c.id desc
  limit least(greatest(max_results, 1), 1000);
end
$$;
grant execute on function public.find_highlights to authenticated;
