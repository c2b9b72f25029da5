-- Finding documents by title, passages by document properties, and new passages for saved searches
begin;
\ir helpers.psql
select plan(55);

-- The titles that a person finds, in order.
create function pg_temp.titles(person text, query text, more text default '') returns text
  language sql
as $$
  select pg_temp.by(person, format(
    '(select string_agg(title, '', '' order by n) from public.find_documents(%L, %L%s) with ordinality as t (id, title, kind, mime, collection, n))',
    md5('library')::uuid, query, more))
$$;

select pg_temp.add_people('owner', 'reader', 'guest', 'stranger');
insert into public.libraries (id, name) values (md5('library')::uuid, 'A'), (md5('other')::uuid, 'B');
insert into public.members (library_id, user_id, role) values
  (md5('library')::uuid, md5('owner')::uuid, 'owner'), (md5('library')::uuid, md5('reader')::uuid, 'reader'),
  (md5('library')::uuid, md5('guest')::uuid, 'guest'), (md5('other')::uuid, md5('stranger')::uuid, 'owner');
insert into public.collections (id, library_id, parent_id, name) values
  (md5('outer')::uuid, md5('library')::uuid, null, 'Outer'), (md5('inner')::uuid, md5('library')::uuid, md5('outer')::uuid, 'Inner');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('inner')::uuid, md5('guest')::uuid, 'reader');
insert into public.documents (library_id, collection_id, kind, title, updated_at)
  select md5('library')::uuid, md5(place)::uuid, 'note', title, '2026-01-01'::timestamptz + n * interval '1 day'
  from (values
    (1, null, 'Backup and recovery'), (2, null, 'annual-report_2025.pdf'), (3, 'outer', 'Report'), (4, 'inner', 'Reports of keepers'),
    (5, null, 'A 100% report'), (6, null, 'Leuchtturmwärter'), (7, null, 'Misreported')) as d (n, place, title);
insert into public.documents (library_id, kind, title, deleted_at) values (md5('library')::uuid, 'note', 'Report in the trash', now());
insert into public.documents (library_id, kind, title) values (md5('other')::uuid, 'note', 'Report of another library');

select extensions.is(pg_temp.titles('reader', 'report'),
  'Report, Reports of keepers, A 100% report, annual-report_2025.pdf, Misreported',
  'full titles come first, then beginnings, then words, then parts of words');
select extensions.is(pg_temp.titles('reader', ' 2025 ANN '), 'annual-report_2025.pdf', 'words match in any order and case, as prefixes, across separators');
select extensions.is(pg_temp.titles('reader', 'turmw'), 'Leuchtturmwärter', 'letters within a word match');
select extensions.is(pg_temp.titles('reader', '100%'), 'A 100% report', 'punctuation is literal');
select extensions.is(pg_temp.titles('reader', '%'), 'A 100% report', 'a single punctuation mark is literal');
select extensions.is(pg_temp.titles('reader', 'bakcup recovry'), 'Backup and recovery', 'a misspelled title is found');
select extensions.is(
  (select string_agg(query, ' ' order by n) from unnest(array['MÜLLER', 'muller', 'muell', 'Müllers strasse', 'STRAẞE', 'straßen', 'miller'])
    with ordinality as q (query, n) where private.title_words('Müllers Straße im Café') @@ private.title_query(query)),
  'MÜLLER muller muell Müllers strasse STRAẞE', 'titles match with or without umlauts');
select extensions.is(
  (select string_agg(query, ' ' order by n) from unnest(array['müller', 'cafe', 'café', 'pot']) with ordinality as q (query, n)
    where private.title_words('Mueller, poet, Cafe') @@ private.title_query(query)),
  'müller cafe café', 'umlauts match their transcription');
select extensions.is(pg_temp.titles('reader', 'LEUCHTTURMWAERT'), 'Leuchtturmwärter', 'a document is found by a transcribed umlaut');
select extensions.is(pg_temp.titles('reader', 'zeppelin'), null, 'an unrelated word finds nothing');
select extensions.is(pg_temp.titles('reader', '  '), null, 'an empty query finds nothing');
select extensions.is(pg_temp.titles('reader', 'report', ', 2'), 'Report, Reports of keepers', 'the number of results is limited');
select extensions.is(pg_temp.titles('reader', 'report', format(', 20, %L', md5('outer')::uuid)), 'Report, Reports of keepers',
  'results are limited to a collection and nested ones');
select extensions.is(pg_temp.titles('guest', 'report'), 'Reports of keepers', 'a guest finds granted documents');
select extensions.is(pg_temp.titles('guest', 'bakcup recovry'), null, 'a guest finds no hidden documents by similar spelling');
select extensions.is(pg_temp.titles('stranger', 'report'), null, 'a stranger finds nothing');
select extensions.matches(pg_temp.titles(null, 'report'), '^42501', 'anonymous users cannot search');


-- Passages: one in each of the seven documents, by title and type.
insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  select library_id, id, 'A lamp. ' || title, '', 0 from public.documents where library_id = md5('library')::uuid and deleted_at is null;
create temporary table stored as select public.replace_passages(current_version_id, jsonb_build_array(
    jsonb_build_object('start', 0, 'end', 5, 'content', 'The lamp of ' || title)))
  from public.documents where library_id = md5('library')::uuid and deleted_at is null;
update public.documents set mime_type = 'application/pdf' where title in ('Report', 'A 100% report');
update public.documents set mime_type = 'image/png' where title = 'Reports of keepers';

create function pg_temp.found(person text, filters jsonb) returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(title, '', '' order by lower(title) collate "C") from public.search_passages(%L, ''lamp'', filters => %L))',
    md5('library')::uuid, filters))
$$;
select extensions.is(pg_temp.found('reader', '{"title": "report"}'),
  'A 100% report, annual-report_2025.pdf, Report, Reports of keepers', 'results are filtered by title');
select extensions.is(pg_temp.found('reader', '{"title": "KEEPERS rep"}'), 'Reports of keepers', 'each word must be the prefix of a title word');
select extensions.is(pg_temp.found('reader', '{"title": "%"}') is not null, 'true', 'a title filter without words is ignored');
select extensions.is(pg_temp.found('reader', '{"media_types": ["application/pdf", "image/%"]}'),
  'A 100% report, Report, Reports of keepers', 'results are filtered by media type');
select extensions.is(pg_temp.found('reader', '{"media_types": ["application/pdf"], "title": "100"}'), 'A 100% report', 'title and type filters combine');
select extensions.is(pg_temp.found('guest', '{"title": "report"}'), 'Reports of keepers', 'a filter reveals nothing to a guest');

-- Authors and dates
update public.documents set author = 'Augustin Fresnel', dated = '1822-07-29' where title = 'Report';
update public.documents set author = 'Mary Somerville, 100%', dated = '1834-01-01' where title = 'Reports of keepers';
update public.documents set author = 'Mary Somerville, 100%', dated = '1848-12-31' where title = 'A 100% report';
update public.documents set author = 'Nobody', dated = '1700-01-01' where deleted_at is not null;
select extensions.is(pg_temp.found('reader', '{"author": "fresnel"}'), 'Report', 'results are filtered by part of the author');
select extensions.is(pg_temp.found('reader', '{"author": "0%"}'), 'A 100% report, Reports of keepers', 'percent signs are literal');
select extensions.is(pg_temp.found('reader', '{"author": "f%l"}'), null, 'percent signs are not wildcards');
select extensions.is(pg_temp.found('reader', '{"dated_from": "1834-01-01"}'), 'A 100% report, Reports of keepers', 'results are filtered from a date');
select extensions.is(pg_temp.found('reader', '{"dated_to": "1834-01-01"}'), 'Report, Reports of keepers', 'results are filtered up to a date');
select extensions.is(pg_temp.found('reader', '{"dated_from": "1834-01-01", "dated_to": "1834-12-31"}'), 'Reports of keepers', 'results are filtered between dates');
select extensions.is(pg_temp.found('guest', '{"author": "fresnel"}'), null, 'a guest cannot find hidden documents by author');
create function pg_temp.facets(person text) returns text
  language sql
as $$ select pg_temp.by(person, format('public.document_facets(%L)', md5('library')::uuid)) $$;
select extensions.is(pg_temp.facets('reader')::jsonb,
  '{"authors": [{"name": "Mary Somerville, 100%", "documents": 2}, {"name": "Augustin Fresnel", "documents": 1}],
    "years": [{"year": 1848, "documents": 1}, {"year": 1834, "documents": 1}, {"year": 1822, "documents": 1}],
    "verified": false, "failed": false, "proposed": false}'::jsonb,
  'facets count authors and years, without the trash');
select extensions.is(pg_temp.facets('guest')::jsonb,
  '{"authors": [{"name": "Mary Somerville, 100%", "documents": 1}], "years": [{"year": 1834, "documents": 1}], "verified": false, "failed": false, "proposed": false}'::jsonb,
  'a guest''s facets count granted documents');
select extensions.is(pg_temp.facets('stranger')::jsonb, '{"authors": [], "years": [], "verified": false, "failed": false, "proposed": false}'::jsonb, 'a stranger''s facets are empty');

-- Saved searches
insert into public.saved_searches (id, library_id, user_id, name, query) values
  (md5('lamps')::uuid, md5('library')::uuid, md5('reader')::uuid, 'Lamps', 'lamp'),
  (md5('oil')::uuid, md5('library')::uuid, md5('reader')::uuid, 'Oil', 'oil'),
  (md5('theirs')::uuid, md5('library')::uuid, md5('owner')::uuid, 'Theirs', 'lamp');
update public.passages set created_at = '2026-02-01'::timestamptz + ordinal * interval '1 day';
update public.saved_searches set looked_at = '2026-01-01';
create function pg_temp.news(person text, zone text default 'UTC') returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(name || '' '' || passages, '', '' order by name)
    from public.saved_search_news(%L, %L) join public.saved_searches on id = search_id)', md5('library')::uuid, zone))
$$;
select extensions.is(pg_temp.news('reader'), 'Lamps 7, Oil 0', 'saved searches count new passages');
update public.saved_searches set filters = '{"title": "report", "since": "2026-13", "collection": "none"}' where name = 'Lamps';
select extensions.is(pg_temp.news('reader', 'Not/AZone'), 'Lamps 4, Oil 0', 'saved searches apply their filters and ignore invalid ones');
update public.saved_searches set filters = '{}' where name = 'Lamps';
-- Saved filters in the format of the search
select extensions.is((private.passage_filters(jsonb_build_object('saved', saved, 'zone', 'Asia/Tokyo')))::jsonb, meaning, saved::text)
  from (values
    ('{"collection": "x", "since": "yesterday", "until": "2026-02-30", "type": "exe", "dated": "2026-13", "fields": "x"}'::jsonb, '{}'::jsonb),
    ('{"tag": "t", "kind": "note", "person": "p", "title": "log", "author": "Ada", "type": "pdf", "state": "failed", "fields": []}',
      '{"tags": ["t"], "kinds": ["note"], "people": ["p"], "title": "log", "author": "Ada", "media_types": ["application/pdf%"],
        "state": "failed", "fields": []}'),
    ('{"since": "2026-03", "until": "2028-02"}', jsonb_build_object('since', '2026-03-01 00:00 Asia/Tokyo'::timestamptz::text,
      'until', ('2028-03-01 00:00 Asia/Tokyo'::timestamptz - interval '1 millisecond')::text)),
    ('{"dated": "1819..1822-02"}', '{"dated_from": "1819-01-01", "dated_to": "1822-02-28"}'),
    ('{"dated": "2026-03-05"}', '{"dated_from": "2026-03-05", "dated_to": "2026-03-05"}'),
    ('{"dated": "..2021"}', '{"dated_to": "2021-12-31"}'),
    ('{"verified": "due"}', jsonb_build_object('verified_to', (now() at time zone 'Asia/Tokyo')::date + 14)),
    ('{"verified": "valid"}', jsonb_build_object('verified_from', (now() at time zone 'Asia/Tokyo')::date))) f (saved, meaning);
select extensions.is(pg_temp.found('reader', '{"saved": {"author": "fresnel"}}'), pg_temp.found('reader', '{"author": "fresnel"}'),
  'search accepts saved filters');
select extensions.is(pg_temp.found('guest', '{"saved": {"author": "fresnel"}}'), null, 'saved filters reveal nothing to a guest');
select extensions.is(pg_temp.news('owner'), 'Theirs 7', 'saved searches are private');
select extensions.is(pg_temp.news('stranger'), null, 'a stranger has no saved searches');
select pg_temp.by('owner', format('public.mark_search_seen(%L)', md5('lamps')::uuid));
select extensions.is(pg_temp.news('reader'), 'Lamps 7, Oil 0', 'another user cannot mark a search as seen');
select extensions.is(pg_temp.done('reader', $$update public.saved_searches set looked_at = 'infinity' where name = 'Lamps'$$), '1', 'marking a search as seen ignores the given time');
select extensions.is(pg_temp.news('reader'), 'Lamps 0, Oil 0', 'seen passages are not new');
update public.passages set created_at = '2026-03-01' where content = 'The lamp of Report';
select extensions.is(pg_temp.news('reader'), 'Lamps 1, Oil 0', 'later passages are new');
select pg_temp.by('reader', format('public.mark_search_seen(%L)', md5('lamps')::uuid));
select extensions.is(pg_temp.news('reader'), 'Lamps 0, Oil 0', 'marking the search as seen again clears them');

-- File names, independent of titles
update public.versions v set file_name = case d.title when 'Report' then 'S0140_fresnel.pdf' else 'S0140_arago.pdf' end
  from public.documents d
  where d.current_version_id = v.id and d.title in ('Report', 'Reports of keepers') and d.library_id = md5('library')::uuid;
select extensions.is(pg_temp.titles('reader', 'fres s0140'), 'Report', 'a document is found by its file name');
select extensions.is(pg_temp.titles('guest', 's0140'), 'Reports of keepers', 'a guest finds visible documents by file name');
select extensions.is(pg_temp.titles('stranger', 's0140'), null, 'a stranger finds nothing by file name');

select * from finish();
rollback;
