-- Search: ranking, languages, phrases, typos; and that other libraries and hidden documents don't affect a person's results
begin;
\ir helpers.psql
select plan(111);

select pg_temp.add_people('ann', 'gil', 'eve');
insert into public.libraries (id, name) values (md5('a')::uuid, 'A'), (md5('b')::uuid, 'B');
insert into public.members (library_id, user_id, role) values
  (md5('a')::uuid, md5('ann')::uuid, 'owner'), (md5('a')::uuid, md5('gil')::uuid, 'guest'), (md5('b')::uuid, md5('eve')::uuid, 'owner');
insert into public.collections (id, library_id, name) values (md5('open')::uuid, md5('a')::uuid, 'Open');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('a')::uuid, md5('open')::uuid, md5('gil')::uuid, 'reader');
create function pg_temp.add(library text, title text, contents text[], collection text default null, language text default 'en')
  returns uuid
  language plpgsql
as $$
declare
  added uuid := md5(library || title)::uuid;
begin
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (added, md5(library)::uuid, md5(collection)::uuid, 'note', title);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5(library)::uuid, added, 'x', '', 0);
  perform public.replace_passages(d.current_version_id, (
    select jsonb_agg(jsonb_build_object('start', n, 'end', n + 1, 'content', content)) from unnest(contents) with ordinality as c (content, n)
  ), language => add.language) from public.documents d where d.id = added;
  return added;
end
$$;
-- What a person finds in library A, best first.
create function pg_temp.found(person text, arguments text, fields text default 'content') returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg((%s)::text, '' | '' order by score desc) from public.search_passages(md5(''a'')::uuid, %s))', fields, arguments))
$$;

do $$ begin
  perform pg_temp.add('a', 'Backups', array['A backup is made every night.', 'The recovery of a backup takes an hour.'], 'open');
  perform pg_temp.add('a', 'Rare birds', array['The night has a nightjar in it, and the backup of a nightjar is another nightjar.'], 'open');
  perform pg_temp.add('a', 'Häuser', array['Die Häuser der Stadt sind alt.', 'Ein Café steht am Hafen.'], 'open', 'de');
  perform pg_temp.add('a', 'Manual', array['One pump.', 'Two pump.', 'Three pump.', 'Four pump.', 'Five pump.'], 'open');
  perform pg_temp.add('a', 'Salaries', array['The zebrafish budget pays salaries.', 'A zebrafish earns a salary.'], null);
  perform pg_temp.add('b', 'Elsewhere', array['The quagga is extinct.', 'The quagga was a pump.', 'A quagga.'], null);
end $$;

-- Order and words
select extensions.is(pg_temp.found('ann', '''nightjar backup'''),
  'The night has a nightjar in it, and the backup of a nightjar is another nightjar. | A backup is made every night. | The recovery of a backup takes an hour.',
  'rare words weigh more than common ones');
select extensions.is(pg_temp.found('ann', '''backups'', max_results => 1', 'title'), 'Backups', 'titles weigh more than text');
select extensions.is(pg_temp.found('ann', '''Recoveries backup'', max_results => 1', 'matched'), '{Recoveries,backup}', 'matched words are returned as typed');
select extensions.is(pg_temp.found('ann', '''Haus'''), 'Die Häuser der Stadt sind alt. | Ein Café steht am Hafen.', 'German words are stemmed');
select extensions.is(pg_temp.found('ann', '''cafe'', max_results => 1', 'highlights'), '[[4, 8]]', 'accents are optional');
select extensions.is(pg_temp.found('ann', '''pump'''), 'One pump. | Two pump. | Three pump.', 'a document has at most three results');
select extensions.is(pg_temp.found('ann', '''pump'', max_results => 1', 'more_in_document'), '4', 'the number of its other passages is returned');
select extensions.is(pg_temp.found('ann', format('''pump'', filters => ''{"document": "%s"}''', md5('aManual')::uuid), '1'), '1 | 1 | 1 | 1 | 1', 'a search in one document returns all passages');
select extensions.is(pg_temp.found('ann', format('''backup'', filters => ''{"documents": ["%s"]}''', md5('aRare birds')::uuid), 'title'), 'Rare birds', 'a search is limited to selected documents');
select extensions.is(pg_temp.found('ann', '''the of and'''), null, 'stop words alone find nothing');
select extensions.is(pg_temp.found('ann', ''''''), null, 'an empty query finds nothing');
select extensions.is(pg_temp.found('ann', 'null'), null, 'null finds nothing');
select extensions.is(pg_temp.found('ann', '''\m(.*)'''' & | ! <-> :* "'''), null, 'special characters are harmless');

-- Phrases and exclusions
select extensions.is(pg_temp.found('ann', '''"recovery of a backup"'''), 'The recovery of a backup takes an hour.', 'a phrase must match');
select extensions.is(pg_temp.found('ann', '''"backup recovery"'', correct => false'), null, 'a phrase must match in order');
select extensions.is(pg_temp.found('ann', '''"backup recovery"'', max_results => 1', 'searched'), ' backup recovery ', 'a phrase without matches is searched as words, and this is reported');
select extensions.is(pg_temp.found('ann', '''"backup recovery" -"takes an hour"'', max_results => 1', 'searched || content'),
  ' backup recovery  -"takes an hour"  A backup is made every night.', 'exclusions still apply then');
select extensions.is(pg_temp.found('ann', '''-"takes an hour" "zeppelin salary"'', max_results => 1', 'content'), 'A zebrafish earns a salary.', 'the position of an exclusion does not matter');
select extensions.is(pg_temp.found('ann', '''backup -nightjar -recovery'''), 'A backup is made every night.', 'words can be excluded');
select extensions.is(pg_temp.found('ann', '''"made every night" or "takes an hour"'', max_results => 9', 'title'), 'Backups | Backups', 'phrases can be combined with or');
select extensions.is(pg_temp.found('ann', '''back-up recovery'', max_results => 1', 'title'), 'Backups', 'a hyphen within a word excludes nothing');

-- Typos and unfinished words
select extensions.is(pg_temp.found('ann', '''bakcup recovry '', max_results => 1', 'searched'), 'backup recovery ', 'typos are corrected');
select extensions.is(pg_temp.found('ann', '''bakcup recovry '', correct => false'), null, 'correction can be turned off');
select extensions.is(pg_temp.found('ann', '''nightj'''), 'The night has a nightjar in it, and the backup of a nightjar is another nightjar.', 'the last word matches as a prefix');
select extensions.is(pg_temp.found('ann', '''nightj'', max_results => 1', 'searched'), 'nightj', 'a prefix is not corrected');

-- Other people's documents don't matter
select extensions.is(pg_temp.found('ann', '''quagga'''), null, 'words of other libraries are not found');
select extensions.is(pg_temp.found('ann', '''quaggs '''), null, 'words of other libraries are not used for corrections');
select extensions.is(pg_temp.by('ann', '(select count(*) from private.library_vocabulary where library_id = md5(''a'')::uuid and word like ''quag%'')'), '0', 'words of other libraries are not listed');
select extensions.is(pg_temp.by('ann', '(select count(*) from private.library_vocabulary where library_id = md5(''b'')::uuid)'), '0', 'the vocabulary of another library is empty');
select extensions.is(pg_temp.by('eve', '(select string_agg(library_name, '' '') from public.search_everywhere(''pump''))'), 'B', 'searching everywhere covers only the user''s libraries');
select extensions.is(pg_temp.found('gil', '''zebrafish'''), null, 'a guest cannot find hidden documents');
select extensions.is(pg_temp.found('gil', '''zebrafihs backup '', max_results => 1', 'searched'), 'zebrafihs backup ', 'a guest''s words are not corrected to hidden ones');
select extensions.is(pg_temp.found('ann', '''zebrafihs backup '', max_results => 1', 'searched'), 'zebrafish backup ', 'a member''s words are corrected to them');
select extensions.is(pg_temp.found('gil', '''zebraf'''), null, 'a guest''s words are not completed to hidden ones');
select extensions.is(pg_temp.by('gil', '(select count(*) from private.library_vocabulary where library_id = md5(''a'')::uuid)'), '0', 'a guest cannot list the library''s words');
select extensions.is(pg_temp.by('gil', '(select count(*) from private.words) + (select count(*) from private.word_changes)'), '0', 'a guest cannot read the word tables');
create temporary table before as select pg_temp.found('gil', '''nightjar backup pump''', 'array[score::text, content, more_in_document::text]') as found;
do $$ begin perform pg_temp.add('a', 'Hidden', array['A nightjar, a pump and a backup of the backup.', 'Nightjar.', 'Backup.'], null); end $$;
select extensions.is(pg_temp.found('gil', '''nightjar backup pump''', 'array[score::text, content, more_in_document::text]'), (select found from before),
  'hidden documents do not affect a guest''s results and scores');

-- Word counts follow the documents
create function pg_temp.vocabulary() returns text
  language sql
as $$
  select string_agg(word || ' ' || documents || ' ' || passages || ' ' || occurrences, ', ' order by word) from (
    select word, sum(documents) as documents, sum(passages) as passages, sum(occurrences) as occurrences
    from private.library_vocabulary where library_id = md5('b')::uuid and (word <> '' or term = 0) group by word having sum(passages) <> 0) w
$$;
select extensions.is(pg_temp.vocabulary(), ' 1 3 8, elsewhere 1 3 3, extinct 1 1 1, pump 1 1 1, quagga 1 3 3', 'passages and occurrences of words are counted');
create temporary table counted as select pg_temp.vocabulary() as words;
update public.documents set deleted_at = now() where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), null, 'documents in the trash are not counted');
update public.documents set deleted_at = null where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), (select words from counted), 'restored documents are counted again');
create temporary table indexed as select * from private.passage_terms where document_id = md5('bElsewhere')::uuid;
update public.documents set deleted_at = now() where id in (md5('bElsewhere')::uuid, md5('aBackups')::uuid);
select extensions.is((select count(*) from private.passage_terms where document_id in (md5('bElsewhere')::uuid, md5('aBackups')::uuid)), 0::bigint,
  'documents of several libraries leave the index in one statement');
update public.documents set deleted_at = null where id in (md5('bElsewhere')::uuid, md5('aBackups')::uuid);
select extensions.results_eq('select * from private.passage_terms where document_id = md5(''bElsewhere'')::uuid order by 1', 'select * from indexed order by 1',
  'restored documents have the same index entries');
update public.documents set deleted_at = now() where id = md5('bElsewhere')::uuid;
update public.documents set title = 'Lost' where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), null, 'a title changed in the trash is not counted');
update public.documents set deleted_at = null where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), ' 1 3 8, extinct 1 1 1, lost 1 3 3, pump 1 1 1, quagga 1 3 3', 'it is counted once the document is restored');
update public.documents set deleted_at = now(), title = 'Gone' where id = md5('bElsewhere')::uuid;
update public.documents set deleted_at = null, title = 'Elsewhere' where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), (select words from counted), 'changing title and trash together gives the same counts');
do $$ begin perform private.fold_word_changes(md5('b')::uuid); end $$;
select extensions.is(pg_temp.vocabulary(), (select words from counted), 'merging the changes gives the same counts');
update public.documents set title = 'Zoo' where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), ' 1 3 8, extinct 1 1 1, pump 1 1 1, quagga 1 3 3, zoo 1 3 3', 'a new title replaces the counts of the old one');
delete from public.documents where id = md5('bElsewhere')::uuid;
select extensions.is(pg_temp.vocabulary(), null, 'deleted documents are not counted');
do $$ begin
  perform pg_temp.add('b', 'Again', array['The quagga.']);
  delete from public.libraries where id = md5('b')::uuid;
end $$;
select extensions.is((select count(*) from private.library_vocabulary where library_id = md5('b')::uuid), 0::bigint, 'a deleted library leaves no words');

-- Arabic: inflected forms, and words without vowel marks
do $$ begin
  perform pg_temp.add('a', 'منارات الساحل', array['تضيء المنارات القديمة ساحل الإسكندرية كل ليلة.', 'كَتَبَ الحَارِسُ في دفتره: ٤٢ سفينة.'], 'open', 'ar');
end $$;
select extensions.is(pg_temp.found('ann', '''منارة قديم''', 'content'), 'تضيء المنارات القديمة ساحل الإسكندرية كل ليلة.', 'Arabic words are stemmed');
select extensions.is(pg_temp.found('ann', '''الاسكندرية'', max_results => 1', 'highlights'), '[[27, 37]]', 'hamza is optional');
select extensions.is(pg_temp.found('ann', '''حارس 42'', max_results => 1', 'matched'), '{حارس,42}', 'vowel marks are optional');
select extensions.is(pg_temp.found('ann', '''۴۲''', 'highlights'), '[[27, 29]]', 'digits match in every script');

-- Phrases in headings, with stop words of one of the library's languages; "ß" equals "ss"
do $$ begin
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (md5('aGuide')::uuid, md5('a')::uuid, md5('open')::uuid, 'note', 'Guide');
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (md5('a')::uuid, md5('aGuide')::uuid, 'x', '', 0);
  perform public.replace_passages(d.current_version_id, jsonb_build_array(jsonb_build_object(
      'start', 1, 'end', 2, 'heading', 'Keepers of the lamp', 'content', 'They trim 𝄞 wicks in the Hafenstraße of a form.')),
    language => 'en') from public.documents d where d.id = md5('aGuide')::uuid;
  perform pg_temp.add('a', 'Streets', array['The Bahnhofstrasse is long.'], 'open');
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (md5('aNames')::uuid, md5('a')::uuid, md5('open')::uuid, 'note', 'Namen');
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (md5('a')::uuid, md5('aNames')::uuid, 'x', '', 0);
  perform public.replace_passages(d.current_version_id, jsonb_build_array(
      jsonb_build_object('start', 1, 'end', 2, 'heading', 'Haus der Bäcker', 'content', 'Frau Mueller wohnt in der Quellenstraße.'),
      jsonb_build_object('start', 3, 'end', 4, 'heading', 'Haus der Baecker', 'content', 'Herr Müller auch, und neue Bauern.')),
    language => 'de') from public.documents d where d.id = md5('aNames')::uuid;
  perform pg_temp.add('a', 'Größenlehre', array['About bigness.'], 'open');
  perform pg_temp.add('a', 'Grössenwahn', array['Of bigness.'], 'open');
end $$;
select extensions.is(pg_temp.found('ann', '''"Keepers of the lamp"'', correct => false'),
  'They trim 𝄞 wicks in the Hafenstraße of a form.', 'a phrase matches in a heading');
select extensions.is(pg_temp.found('ann', '''"keepers of the lamp"''', 'searched'), '"keepers of the lamp"', 'it is searched as a phrase');
select extensions.is(pg_temp.found('ann', '''"lamp of the keepers"'', correct => false'), null, 'it must match in order');
select extensions.is(pg_temp.found('gil', '''"Keepers of the lamp"'', correct => false', 'title'), 'Guide', 'a guest finds it, too');
select extensions.is(pg_temp.found('ann', '''keepers from '', max_results => 1', 'searched'), 'keepers from ', 'a stop word is not corrected');
select extensions.is(pg_temp.found('ann', '''hafenstrasse'', correct => false', 'array[title, highlights::text]'), '{Guide,"[[26, 37]]"}', 'ss matches ß');
select extensions.is(pg_temp.found('ann', '''BAHNHOFSTRAẞE'', correct => false', 'array[title, highlights::text, searched]'), '{Streets,"[[4, 18]]",BAHNHOFSTRAẞE}', 'ß matches ss');
select extensions.is(pg_temp.found('ann', '''hafenstras'', correct => false', 'array[title, highlights::text]'), '{Guide,"[[26, 37]]"}', 'a prefix matches ß');
select extensions.is(pg_temp.found('ann', '''hafnestrasse ''', 'array[title, searched]'), '{Guide,"hafenstrasse "}', 'a typo with ss is corrected');
select extensions.is(pg_temp.found('ann', '''"in the Hafenstrasse"'', correct => false', 'title'), 'Guide', 'a phrase with ss matches ß');
select extensions.is(pg_temp.found('ann', '''"the Bahnhofstraße"'', correct => false', 'title'), 'Streets', 'a phrase with ß matches ss');
select extensions.is(pg_temp.found('ann', '''keepers -hafenstraße'', correct => false', 'title'), null, 'an exclusion with ß matches ss');
select extensions.is(pg_temp.by('ann', '(select count(*) from public.find_documents(md5(''a'')::uuid, ''Grösse''))'), '2', 'titles match ß and ss');
select extensions.is(pg_temp.found('ann', '''quellenstrase ''', 'highlights::text'), '[[26, 39]]', 'a missing s is corrected');

-- In German "ae", "oe" and "ue" equal "ä", "ö" and "ü" in any spelling, also in headings and phrases
create function pg_temp.spelled(variadic queries text[]) returns text
  language sql
as $$
  select string_agg(distinct pg_temp.by('ann', format('(select string_agg(array[s.start_offset::text, s.highlights::text]::text, '' '' order by start_offset)
    from public.search_passages(md5(''a'')::uuid, %L, correct => false) s)', query)), ' / ') from unnest(queries) query
$$;
select extensions.is(pg_temp.spelled('Müller', 'MUELLER', 'muller', '"Mueller"', '"müller"'), '{1,"[[5, 12]]"} {3,"[[5, 11]]"}', 'words match in the text and are marked');
select extensions.is(pg_temp.spelled('"Haus der Bäcker"', '"haus der baecker"', '"Haus der Backer"'), '{1,[]} {3,[]}', 'phrases match in headings');
select extensions.is(pg_temp.spelled('"Haus der Becker"'), null, 'a similar word is not matched');
select extensions.is(pg_temp.spelled('neue', 'neu'), '{3,"[[22, 26]]"}', '"ue" within other words is not an umlaut');

-- Repeated words, and passages related to each other
do $$ begin
  insert into public.libraries (id, name) values (md5('c')::uuid, 'C');
  insert into public.members (library_id, user_id, role) values (md5('c')::uuid, md5('ann')::uuid, 'owner');
  perform pg_temp.add('c', 'Ship', array['Sail and sail, sail, sail.', 'Various masts.', 'Various ropes.', 'A white sail.', 'An anchor.', 'A keel.']);
  perform pg_temp.add('c', 'Light', array_fill('The lamp has a glass and a wick.'::text, array[20]));
  perform pg_temp.add('c', 'Wine', array['A lamp in the cellar of barrels.']);
  perform pg_temp.add('c', 'Harbour', array['Of the.', 'Is it?']);
end $$;
-- The first word of the last passage
create function pg_temp.last(query text) returns text
  language sql
as $$ select pg_temp.by('ann', format('(select split_part((array_agg(s.content order by score))[1], '' '', 1) from public.search_passages(md5(''c'')::uuid, %L) s)', query)) $$;
select extensions.is(pg_temp.last('sail various'), 'Various', 'without repetition of a word a passage ranks last');
select extensions.is(pg_temp.last('lamp'), 'A', 'a passage without similar ones ranks after those with some');
select extensions.is(pg_temp.by('ann', '(select array[count(*), count(*) filter (where s.score < 1)]::text from public.search_passages(md5(''c'')::uuid, ''harbour'') s)'),
  '{2,2}', 'a passage of stop words has a score');
delete from public.libraries where id = md5('c')::uuid;

-- Whether embedding a query is worthwhile
create function pg_temp.has_meaning(person text) returns text
  language sql
as $$ select pg_temp.by(person, '(select string_agg(l.name || ''='' || public.has_meaning(l), '','' order by l.name) from public.libraries l)') $$;
select extensions.is(pg_temp.has_meaning('ann'), 'A=false', 'a library without embeddings cannot be searched by meaning');
update public.passages set embedding_model = 'gte-small' where document_id = md5('aSalaries')::uuid;
select extensions.is(pg_temp.has_meaning('ann'), 'A=true', 'a library with embeddings can be searched by meaning');
select extensions.is(pg_temp.has_meaning('gil'), 'A=false', 'a guest who cannot see them cannot search by meaning');

-- Several languages in one library: questions in one find the same as without the others. Each question has eight function words, which
-- passages in other languages use as words of their own or quote.
insert into public.libraries (id, name) values (md5('m')::uuid, 'M'), (md5('e')::uuid, 'E');
insert into public.members (library_id, user_id, role) select md5(name)::uuid, md5('ann')::uuid, 'owner' from unnest(array['m', 'e']) name;
create temporary table passages_of (language text, title text, contents text[]);
insert into passages_of values
  ('en', 'Processes', array['After a fork the child has a copy of each file descriptor of its parent.', 'A process that has ended is a zombie until the parent waits for it.',
    'The server keeps a log of what happens to each request.', 'A file is closed when the last descriptor is gone.', 'To see the log, open it with a pager.']),
  ('de', 'Prozesse', array['Nach dem Aufruf von fork hat das Kind eine Kopie jedes Dateideskriptors.', 'Die Sicherung der Datenbank läuft jede Nacht.',
    'Wer die Sicherung wiederherstellt, hält den Server an.', 'Der Server schreibt ein Protokoll.']),
  ('fr', 'Processus', array['Il a fallu un fork de file : to a descriptor what happens.', 'La sauvegarde de la base se fait chaque nuit.', 'On a un serveur à la maison.']),
  ('es', 'Procesos', array['La supervisión de la máquina avisa a los operadores.', 'La copia de la base se hace a medianoche.', 'El servidor de la red.']),
  ('pl', 'Procesy', array['Serwer w sieci zapisuje dziennik.', 'Kopia bazy w nocy jest na dysku.', 'W nocy nie ma nikogo w sieci.', 'Jest to plik na dysku.']),
  ('zh', '进程', array['磁盘空间不足时服务器停止。', '使用 fork to 创建 a 进程 what 。', '磁盘的空间。', '数据库每天晚上备份。']),
  ('ja', 'プロセス', array['データベースのバックアップは毎晩行われます。', 'fork は to a プロセス what を作ります。', '猫が好きです。', E'灯台守は北の岩\n 礁を見る。']),
  ('ar', 'عمليات', array['يحفظ الخادم نسخة من قاعدة البيانات كل ليلة.', 'fork to a what happens after']);
do $$ begin
  perform pg_temp.add('m', title, contents, language => language), case language when 'en' then pg_temp.add('e', title, contents) end from passages_of;
end $$;
create function pg_temp.first(query text, library text default 'm') returns text
  language sql
as $$
  select pg_temp.by('ann', format('(select content from public.search_passages(md5(%L)::uuid, %L) limit 1)', library, query))
$$;
select extensions.is(pg_temp.first(question), answer, question) from (values
  ('what happens to a file descriptor after a fork', 'After a fork the child has a copy of each file descriptor of its parent.'),
  ('when is it that a process is a zombie', 'A process that has ended is a zombie until the parent waits for it.'),
  ('wann läuft denn die Sicherung von der Datenbank', 'Die Sicherung der Datenbank läuft jede Nacht.'),
  ('supervisión de la máquina', 'La supervisión de la máquina avisa a los operadores.'),
  ('sauvegarde de la base', 'La sauvegarde de la base se fait chaque nuit.'),
  ('serwer w sieci', 'Serwer w sieci zapisuje dziennik.'),
  ('磁盘空间', '磁盘空间不足时服务器停止。'),
  ('データベースのバックアップ', 'データベースのバックアップは毎晩行われます。'),
  ('猫', '猫が好きです。'),
  ('岩礁', E'灯台守は北の岩\n 礁を見る。'),
  ('نسخة من قاعدة البيانات', 'يحفظ الخادم نسخة من قاعدة البيانات كل ليلة.')) as asked (question, answer);
select extensions.is(pg_temp.first(question), pg_temp.first(question, 'e'), 'other languages do not change the first result: ' || question)
  from unnest(array['to whom does the server say what happens', 'how is a log to be seen']) question;
select extensions.is((select count(*)::int from private.query_words(md5('m')::uuid, 'what happens to a file', '{}', null, 27, true) w where w.word in ('what', 'to', 'a')),
  0, 'function words have no weight even if they are words in other languages');

-- Identifiers, and words in different encodings
do $$ begin
  perform pg_temp.add('e', 'Rights', array['A cap, a checkpoint; to restore it is another matter.', 'The right CAP_CHECKPOINT_RESTORE is new.', 'o is a letter',
    E'Die ver\u00ADteilte Daten\u200Bbank ist cafe\u0301.', E'\uFEB3\uFEE0\uFE8E\uFEE1',
    'Of 12 lamps 4 or 3 burn.', 'Version 4.12.3 mends parseUserInput.', 'A user has input.', 'Option x of lampctl dims.']);
end $$;
select extensions.is(pg_temp.first('CAP_CHECKPOINT_RESTORE', 'e'), 'The right CAP_CHECKPOINT_RESTORE is new.', 'an identifier matches as a whole');
select extensions.is(pg_temp.by('ann', $q$(select highlights::text from public.search_passages(md5('e')::uuid, 'CAP_CHECKPOINT_RESTORE') limit 1)$q$), '[[10, 32]]', 'an identifier is marked as a whole');
select extensions.is(pg_temp.first('4.12.3', 'e'), 'Version 4.12.3 mends parseUserInput.', 'a version matches as a whole');
select extensions.is(pg_temp.by('ann', $q$(select count(*)::text from public.search_passages(md5('e')::uuid, 'user input'))$q$), '2', 'camelCase matches by its parts');
select extensions.is(pg_temp.first('lampctl -x', 'e'), 'Option x of lampctl dims.', 'a command-line option is not an exclusion');
select extensions.is(pg_temp.first('O_CLOEXEC', 'e'), null, 'single letters of an unknown identifier are not searched');
select extensions.is(pg_temp.by('ann', $q$(select highlights::text from public.search_passages(md5('e')::uuid, 'verteilte datenbank café') limit 1)$q$),
  '[[4, 14], [15, 25], [30, 35]]', 'soft hyphens, zero-width spaces and combining accents are ignored but marked');
select extensions.is(pg_temp.first('سلام', 'e'), E'\uFEB3\uFEE0\uFE8E\uFEE1', 'Arabic presentation forms match their letters');

-- Compounds
do $$ begin
  insert into public.libraries (id, name) values (md5('c')::uuid, 'C');
  insert into public.members (library_id, user_id, role) values (md5('c')::uuid, md5('ann')::uuid, 'owner');
  perform pg_temp.add('c', 'Texte', array['Die Paketverwaltung lädt alles herunter.', 'Die Verwaltung der Stadt schließt heute.', 'Ein Paket kommt morgen.',
    'Die Werkzeuge hängen an der Wand.', 'Der Drucker druckt jede Nacht.', 'Eine Umgebungsvariable hat einen Namen.',
    'Für Gäste spielen Musikinstrumente, wann immer es dunkel wird.'], language => 'de');
  perform pg_temp.add('c', 'Files', array['The filesystem is full.', 'A file has a name.', 'This system is old.'], language => 'en');
end $$;
select extensions.is(pg_temp.first(query, 'c'), answer, 'compounds: ' || query) from (values
  ('Paket Verwaltung', 'Die Paketverwaltung lädt alles herunter.'),
  ('Umgebung Variablen', 'Eine Umgebungsvariable hat einen Namen.'),
  ('Variable', 'Eine Umgebungsvariable hat einen Namen.'),
  ('Instrument', 'Für Gäste spielen Musikinstrumente, wann immer es dunkel wird.'),
  ('file system', 'The filesystem is full.'),
  ('Druckerverwaltung', 'Der Drucker druckt jede Nacht.')) as asked (query, answer);
select extensions.is(pg_temp.by('ann', $q$(select array_agg(content)::text from public.search_passages(md5('c')::uuid, 'Wann für Werkzeuge?'))$q$),
  '{"Die Werkzeuge hängen an der Wand."}', 'stop words with accents and question words are not searched');
select extensions.is(pg_temp.first('Xylofon Quittung Zitrone Bergwerk Werkzeuge', 'c'), 'Die Werkzeuge hängen an der Wand.',
  'unknown words do not hide what the known one finds');
select extensions.ok(private.is_stop_word('it', 'più') and private.is_stop_word('pl', 'Kiedy') and private.is_stop_word('es', 'cuántas')
  and private.is_stop_word('fr', 'Où') and private.is_stop_word('pl', 'Są') and private.is_stop_word('cs', 'Proč') and private.is_stop_word('el', 'Πότε')
  and not private.is_stop_word('de', 'Fur') and not private.is_stop_word('en', 'wann'), 'each language has its own stop words');
select extensions.is(pg_temp.found('gil', '''brafish'''), null, 'parts of words in hidden documents are not found by guests');
select extensions.is(pg_temp.by('ann', $q$(select highlights::text from public.search_passages(md5('c')::uuid, 'Paket Verwaltung') limit 1)$q$),
  '[[4, 19]]', 'a compound of two query words is marked');
select extensions.is(pg_temp.by('ann', $q$(select string_agg(content, ' | ' order by score desc) from public.search_passages(md5('c')::uuid, 'Paketverwaltung'))$q$),
  'Die Paketverwaltung lädt alles herunter. | Ein Paket kommt morgen. | Die Verwaltung der Stadt schließt heute.',
  'a compound ranks above its parts');

select * from finish();
rollback;
