-- Two more filters of a search: who wrote a document, and what date it bears
create or replace function private.searched_documents(library uuid, filters jsonb, is_member boolean) returns uuid[]
  language sql stable set search_path = ''
as $$
  select case when filters <> '{}' or not is_member then array(
    with recursive within (id) as (
      select (filters ->> 'collection')::uuid
      union
      select c.id from public.collections c join within w on c.parent_id = w.id
    ), title (prefixes) as (
      -- Every word of the filter begins a word of the title.
      select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & '))
      from regexp_split_to_table(lower(left(filters ->> 'title', 300)), '[^[:alnum:]]+') word where word <> ''
    ), types (patterns) as (
      select array_agg(pattern) from jsonb_array_elements_text(filters -> 'media_types') pattern
    ), author (pattern) as (
      select '%' || regexp_replace(left(filters ->> 'author', 300), '([\\%_])', '\\\1', 'g') || '%'
    )
    select d.id from public.documents d, title, types, author
    where d.library_id = library and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (filters ->> 'collection' is null or d.collection_id in (select id from within))
      and (filters -> 'kinds' is null or filters -> 'kinds' ? d.kind::text)
      and (filters -> 'people' is null or filters -> 'people' ? d.created_by::text)
      and (filters -> 'tags' is null or exists (
        select from public.document_tags t where t.document_id = d.id and filters -> 'tags' ? t.tag_id::text))
      and (filters ->> 'document' is null or d.id = (filters ->> 'document')::uuid)
      and (filters -> 'documents' is null or filters -> 'documents' ? d.id::text)
      and (filters ->> 'since' is null or d.created_at >= (filters ->> 'since')::timestamptz)
      and (filters ->> 'until' is null or d.created_at <= (filters ->> 'until')::timestamptz)
      and (title.prefixes is null or private.title_words(d.title) @@ title.prefixes)
      and (types.patterns is null or d.mime_type like any (types.patterns))
      and (author.pattern is null or d.author ilike author.pattern)
      and (filters ->> 'dated_from' is null or d.dated >= (filters ->> 'dated_from')::date)
      and (filters ->> 'dated_to' is null or d.dated <= (filters ->> 'dated_to')::date)
  ) end
$$;
comment on function private.searched_documents is $$The documents that a search looks at; null when that is all of the library.
A guest sees those of the collections granted to them.

filters: { collection, kinds, tags, people, document, documents, since, until, title, media_types, author, dated_from, dated_to }.
Ids and arrays of ids; a collection includes those inside it. since and until: timestamps between which a document was added.
title: words that words of the title begin with. media_types: patterns of LIKE. author: a part of what the document says of its
author. dated_from, dated_to: the first and the last day of the date that it bears.$$;

/* What the library's documents, as far as the caller sees them, say of their authors (the most frequent first) and years (the latest first):
   { authors: [{ name, documents }], years: [{ year, documents }] }, at most 500 and 200 of them. */
create function public.document_facets(library uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  with seen as materialized (
    select d.author, extract(year from d.dated)::integer as year from public.documents d
    where d.library_id = document_facets.library and d.deleted_at is null and (d.author is not null or d.dated is not null)
  )
  select jsonb_build_object(
    'authors', (select coalesce(jsonb_agg(jsonb_build_object('name', a.author, 'documents', a.n) order by a.n desc, a.author), '[]')
      from (select s.author, count(*) as n from seen s where s.author is not null group by 1 order by 2 desc, 1 limit 500) a),
    'years', (select coalesce(jsonb_agg(jsonb_build_object('year', y.year, 'documents', y.n) order by y.year desc), '[]')
      from (select s.year, count(*) as n from seen s where s.year is not null group by 1 order by 1 desc limit 200) y))
$$;
grant execute on function public.document_facets to authenticated;
