-- Rules of a library: who creates them, validation, when they run, what they do, and that a broken one blocks nothing
begin;
\ir helpers.psql
select plan(65);

-- Fires what is deferred to commit.
create function pg_temp.commit() returns void
  language plpgsql
as $$
begin
  set constraints all immediate;
  set constraints all deferred;
end
$$;

select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'guest', 'outsider');
insert into public.libraries (id, name) values (md5('library')::uuid, 'A'), (md5('other')::uuid, 'B');
insert into public.members (library_id, user_id, role) select md5('library')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('guest', 'guest')) as m (person, role);
insert into public.members (library_id, user_id, role) values (md5('other')::uuid, md5('outsider')::uuid, 'owner');
insert into public.collections (id, library_id, parent_id, name) values
  (md5('in')::uuid, md5('library')::uuid, null, 'In'), (md5('sub')::uuid, md5('library')::uuid, md5('in')::uuid, 'Sub'),
  (md5('out')::uuid, md5('library')::uuid, null, 'Out'), (md5('far')::uuid, md5('other')::uuid, null, 'Far');
insert into public.collection_grants (library_id, collection_id, user_id, role) values
  (md5('library')::uuid, md5('in')::uuid, md5('helper')::uuid, 'editor'), (md5('library')::uuid, md5('out')::uuid, md5('guest')::uuid, 'reader');
insert into public.tags (id, library_id, name) values (md5('bill')::uuid, md5('library')::uuid, 'Bill'), (md5('late')::uuid, md5('library')::uuid, 'Late');
create temporary table fields as select
  pg_temp.by('owner', format('(public.save_field(%L, null, ''Client'', ''text'')).id', md5('out')::uuid))::uuid as client,
  pg_temp.by('owner', format('(public.save_field(%L, null, ''State'', ''choice'', false, ''[{"name": "Open"}, {"name": "Paid"}]'')).id', md5('in')::uuid))::uuid as state,
  pg_temp.by('owner', format('(public.save_field(%L, null, ''Sum'', ''number'')).id', md5('in')::uuid))::uuid as sum;
create function pg_temp.option(option text) returns uuid
  language sql as $$ select o.id from public.field_options o where o.name = option $$;

-- A rule in the form of save_rule.
create function pg_temp.rule(name text, conditions jsonb, actions jsonb, more jsonb default '{}') returns jsonb
  language sql as $$ select jsonb_build_object('name', name, 'conditions', conditions, 'actions', actions) || more $$;
create function pg_temp.save(person text, rule jsonb) returns text
  language sql as $$ select pg_temp.by(person, format('(public.save_rule(%L, %L)).name', md5('library')::uuid, rule)) $$;
create function pg_temp.tag(tag text) returns jsonb
  language sql as $$ select jsonb_build_array(jsonb_build_object('do', 'tag', 'tag', md5(tag)::uuid)) $$;
create function pg_temp.add(person text, title text, place text, body text default 'x') returns text
  language plpgsql
as $$
declare
  added text := pg_temp.by(person, format('(public.add_note(%L, %L, %L, %L)).id', md5('library')::uuid, title, body, md5(place)::uuid));
begin
  perform pg_temp.commit();
  return added;
end
$$;
create function pg_temp.read(title text, variadic contents text[]) returns void
  language plpgsql
as $$
begin
  perform public.replace_passages(d.current_version_id, (
    select jsonb_agg(jsonb_build_object('start', n, 'end', n + 1, 'content', content)) from unnest(contents) with ordinality as c (content, n)))
  from public.documents d where d.title = read.title;
  perform pg_temp.commit();
end
$$;
-- A document's collection and tags.
create function pg_temp.state(title text) returns text
  language sql
as $$
  select concat_ws(' ', c.name, (select string_agg(t.name, ',' order by t.name) from public.document_tags x join public.tags t on t.id = x.tag_id where x.document_id = d.id))
  from public.documents d left join public.collections c on c.id = d.collection_id where d.title = state.title
$$;

-- Creating rules
select extensions.is(pg_temp.save('editor', pg_temp.rule('Bills', '[{"on": "title", "value": " Invoice "}]', pg_temp.tag('bill'))), 'Bills', 'an editor adds a rule');
select extensions.matches(pg_temp.save(person, pg_temp.rule('No', '[]', pg_temp.tag('bill'))), '^42501', person || ' cannot add a rule')
  from unnest(array['reader', 'helper', 'guest', 'outsider']) person;
select extensions.is(pg_temp.by(person, format('count(*) from public.library_rules(%L)', md5('library')::uuid)), seen, person || ' sees ' || seen)
  from (values ('owner', '1'), ('editor', '1'), ('reader', '0'), ('helper', '0'), ('guest', '0'), ('outsider', '0')) as p (person, seen);
select extensions.is(pg_temp.by(person, 'count(*) from public.rules'), seen, person || ' reads ' || seen || ' rows')
  from (values ('owner', '1'), ('reader', '0'), ('helper', '0'), ('guest', '0'), ('outsider', '0')) as p (person, seen);
select extensions.is(pg_temp.done('reader', 'update public.rules set is_on = false'), '0', 'a reader cannot disable a rule');
select extensions.is(pg_temp.done('reader', 'delete from public.rules'), '0', 'a reader cannot delete a rule');
select extensions.matches(pg_temp.done('editor', $$update public.rules set actions = '[]'$$), '^42501', 'rules can only be changed through save_rule');
select extensions.matches(pg_temp.by(person, format('public.try_rule(%L)', (select id from public.rules))), '^42501', person || ' cannot test a rule')
  from unnest(array['reader', 'helper', 'guest', 'outsider']) person;
select extensions.matches(pg_temp.by('reader', format('public.apply_rule(%L, ''{}'')', (select id from public.rules))), '^42501', 'a reader cannot apply a rule');

-- Validation
select extensions.matches(pg_temp.save('owner', pg_temp.rule('X', conditions::jsonb, pg_temp.tag('bill'))), code, 'rejected: ' || conditions)
  from (values ('[{"on": "moon"}]', '^22023'), ('[{"on": "title", "value": " "}]', '^22023'), ('[{"on": "type", "value": "exe"}]', '^22023'),
    ('[{"on": "tag", "value": "x"}]', '^22023'), ('7', '^23514'),
    (format('[{"on": "field", "field": "%s", "words": "x"}]', (select sum from fields)), '^22023'),
    (format('[{"on": "field", "field": "%s"}]', (select sum from fields)), '^22023'),
    ((select jsonb_agg('{"on": "title", "value": "a"}'::jsonb) from generate_series(1, 11))::text, '^23514')) as c (conditions, code);
select extensions.matches(pg_temp.save('owner', pg_temp.rule('X', '[]', actions::jsonb)), code, 'rejected: ' || actions)
  from (values ('[]', '^23514'), ('[{"do": "dance"}]', '^22023'), ('[{"do": "tell"}]', '^22023'),
    (format('[{"do": "move", "collection": "%s"}]', md5('far')::uuid), '^22023'),
    (format('[{"do": "tell", "people": ["%s"]}]', md5('outsider')::uuid), '^22023'),
    (format('[{"do": "set", "field": "%s", "value": "many"}]', (select sum from fields)), '^22023')) as a (actions, code);
select extensions.matches(pg_temp.save('owner', pg_temp.rule('bills', '[]', pg_temp.tag('bill'))), '^23505', 'rule names are unique');

-- When a document is added
select pg_temp.add('editor', 'An INVOICE of May', 'in');
select extensions.is(pg_temp.state('An INVOICE of May'), 'In Bill', 'a matching document is tagged');
select extensions.is((select string_agg(verb || ' ' || (subject ->> 'rule'), '' order by id) from public.activity where verb = 'document.ran_rule'), 'document.ran_rule Bills', 'the activity names the rule');
select extensions.is(pg_temp.by('owner', '(select changes -> 0 ->> ''name'' from public.rule_runs)'), 'Bill', 'the run lists the changes');
select extensions.is(pg_temp.by('reader', 'count(*) from public.rule_runs'), '0', 'readers cannot see runs');
select pg_temp.add('helper', 'Invoice of a guest', 'in');
select extensions.is(pg_temp.state('Invoice of a guest'), 'In Bill', 'a rule applies to documents added by a guest');
select pg_temp.add('editor', 'A letter', 'in');
select extensions.is(pg_temp.state('A letter'), 'In', 'other documents are unchanged');

-- Moved documents, covered collections, no loops
select pg_temp.done('owner', 'delete from public.rules');
select pg_temp.save('owner', pg_temp.rule('There', '[]', jsonb_build_array(jsonb_build_object('do', 'move', 'collection', md5('out')::uuid)),
  jsonb_build_object('collection_id', md5('in')::uuid, 'on_moved', true)));
select pg_temp.save('owner', pg_temp.rule('And back', '[]', jsonb_build_array(jsonb_build_object('do', 'move', 'collection', md5('in')::uuid)),
  jsonb_build_object('collection_id', md5('out')::uuid, 'on_moved', true)));
select pg_temp.add('editor', 'Ball', 'sub');
select extensions.is(pg_temp.state('Ball'), 'Out', 'a rule applies in nested collections, and its own move starts no other rule');
select extensions.is((select count(*) from public.activity where verb = 'document.moved'), 0::bigint, 'the move is logged as the rule''s only');
update public.documents set collection_id = md5('in')::uuid where title = 'Ball';
select pg_temp.commit();
select extensions.is(pg_temp.state('Ball'), 'Out', 'a rule applies to moved documents');
update public.rules set is_on = false;
update public.documents set collection_id = md5('sub')::uuid where title = 'Ball';
select pg_temp.commit();
update public.rules set is_on = true;
update public.documents set collection_id = md5('in')::uuid where title = 'Ball';
select pg_temp.commit();
select extensions.is(pg_temp.state('Ball'), 'In', 'a move within the collection starts no rule, nor does a disabled rule apply');

-- Text after reading, field values, notifications
select pg_temp.done('owner', 'delete from public.rules');
select pg_temp.save('owner', pg_temp.rule('Read', '[{"on": "text", "value": "amount  due"}, {"on": "kind", "value": "note"}]', pg_temp.tag('bill')
  || jsonb_build_array(jsonb_build_object('do', 'set', 'field', (select state from fields), 'value', pg_temp.option('Open')),
    jsonb_build_object('do', 'tell', 'everybody', true), jsonb_build_object('do', 'tell', 'people', jsonb_build_array(md5('guest')::uuid)))));
select pg_temp.add('editor', 'Paper', 'in');
select extensions.is(pg_temp.state('Paper'), 'In', 'a rule about text waits for indexing');
select pg_temp.read('Paper', 'The Amount', 'due is 7.');
select extensions.is(pg_temp.state('Paper'), 'In Bill', 'words match across passages');
select extensions.is((select v.option_id from public.field_values v join public.documents d on d.id = v.document_id where d.title = 'Paper'), pg_temp.option('Open'), 'a field is set');
select extensions.is((select string_agg(p.display_name || ' ' || n.rule, ', ' order by p.display_name) from public.notifications n join public.profiles p on p.id = n.user_id where n.kind = 'rule'),
  'helper Read, owner Read, reader Read', 'people who see the document are notified, except its author');
select pg_temp.read('Paper', 'The Amount', 'due is 8.');
select extensions.is((select count(*) from public.rule_runs), 1::bigint, 'a rule runs once per added document');
select pg_temp.done('owner', 'delete from public.rules');
select pg_temp.save('owner', pg_temp.rule('Open', jsonb_build_array(jsonb_build_object('on', 'field', 'field', (select state from fields), 'any', jsonb_build_array(pg_temp.option('Open')))), pg_temp.tag('late'), '{"on_moved": true}'));
select extensions.is(pg_temp.by('editor', format('public.try_rule(%L) -> ''shown'' -> 0 ->> ''title''', (select id from public.rules))), 'Paper', 'testing a rule lists matching documents');
select extensions.is(pg_temp.by('editor', format('(select changes -> 0 ->> ''tag'' from public.apply_rule(%L, array(select id from public.documents)))', (select id from public.rules))), md5('late')::uuid::text, 'applying a rule lists the changes');
select extensions.is(pg_temp.state('Paper') || ', ' || pg_temp.state('Ball'), 'In Bill,Late, In', 'only matching documents are changed');

-- Deleted references
select pg_temp.save('owner', pg_temp.rule('Sort', '[]', jsonb_build_array(jsonb_build_object('do', 'move', 'collection', md5('sub')::uuid)), jsonb_build_object('collection_id', md5('out')::uuid)));
select pg_temp.save('owner', pg_temp.rule('Wrong', '[]', jsonb_build_array(jsonb_build_object('do', 'set', 'field', (select client from fields), 'value', 'ACME')) || pg_temp.tag('late'), jsonb_build_object('collection_id', md5('in')::uuid)));
select pg_temp.save('owner', pg_temp.rule('Right', '[]', pg_temp.tag('bill'), jsonb_build_object('collection_id', md5('in')::uuid)));
delete from public.collections where name = 'Sub';
select extensions.is(pg_temp.by('owner', format('string_agg(name, '','') from public.library_rules(%L) where problem = ''collection''', md5('library')::uuid)), 'Sort', 'a rule reports its deleted collection');
select pg_temp.add('editor', 'Resting', 'out');
select extensions.is(pg_temp.state('Resting'), 'Out', 'a rule with a deleted collection is paused');
select extensions.matches(pg_temp.add('editor', 'Broken', 'in'), '^[0-9a-f]{8}-', 'a failing rule does not block adding documents');
select extensions.is(pg_temp.state('Broken'), 'In Bill', 'a failing rule changes nothing, and the next rule runs');
select extensions.is(pg_temp.by('owner', '(select problem - ''parameters'' from public.rule_runs where problem is not null)'),
  private.problem('field_of_another_collection')::text, 'the run has the error');
delete from public.tags where name = 'Bill';
update public.members set role = 'reader' where user_id = md5('editor')::uuid;
update public.rules set owner_id = md5('editor')::uuid where name = 'Wrong';
select extensions.is(pg_temp.by('owner', format('string_agg(name || '' '' || problem, '', '' order by name) from public.library_rules(%L) where problem is not null', md5('library')::uuid)), 'Right tag, Sort collection, Wrong owner', 'rules report a deleted tag and an owner without edit access');
select extensions.matches(pg_temp.by('owner', format('public.try_rule(%L)', (select id from public.rules where name = 'Right'))), '^22023', 'a paused rule cannot be tested');
insert into public.rules (library_id, name, actions) select md5('library')::uuid, 'R' || n, '[]' from generate_series(1, 46) n;
select extensions.matches(pg_temp.save('owner', pg_temp.rule('One more', '[]', pg_temp.tag('late'))), '^23514 A library can have at most 50 rules.', 'a library has at most fifty rules');
select * from extensions.finish();
rollback;
