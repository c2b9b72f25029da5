-- Two more filters of a search: what a document is called, and what kind of file it is

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
    )
    select d.id from public.documents d, title, types
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
  ) end
$$;
comment on function private.searched_documents is $$The documents that a search looks at; null when that is all of the library.
A guest sees those of the collections granted to them. filters: those of search_passages, and { title, media_types }: words that
words of the title begin with, and patterns of LIKE for media types.$$;
