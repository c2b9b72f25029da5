-- Fields of collections: who creates and sees them, validation of values, and shelves and searches by field
begin;
\ir helpers.psql
select plan(99);


select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'guest', 'outsider');
create temporary table ids as select md5('library')::uuid as library, md5('outer')::uuid as around, md5('inner')::uuid as inside,
  md5('beside')::uuid as beside;
grant select on ids to authenticated;
insert into public.libraries (id, name) select library, 'A' from ids;
insert into public.members (library_id, user_id, role) select library, md5(person)::uuid, role::public.member_role
  from ids, (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('guest', 'guest')) as m (person, role);
insert into public.collections (id, library_id, parent_id, name)
  select around, library, null::uuid, 'Outer' from ids union all select inside, library, around, 'Inner' from ids
  union all select beside, library, null, 'Beside' from ids;
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select library, inside, md5('helper')::uuid, 'editor'::public.member_role from ids
  union all select library, inside, md5('guest')::uuid, 'reader' from ids;
insert into public.documents (id, library_id, collection_id, kind, title, created_by)
  select md5(title)::uuid, library, case place when 'o' then around when 'i' then inside when 'b' then beside end, 'note', title, md5('owner')::uuid
  from ids, (values ('O1', 'o'), ('O2', 'o'), ('O3', 'o'), ('I1', 'i'), ('B1', 'b'), ('N1', null)) as d (title, place);

-- Creating fields
create function pg_temp.make(person text, place text, name text, kind text, several boolean default false, options jsonb default '[]') returns text
  language sql
as $$
  select pg_temp.by(person, format('(public.save_field(%L, null, %L, %L, %L, %L)).id', md5(place)::uuid, name, kind, several, options))
$$;
create temporary table fields as select f.*, null::uuid as id from (values
  ('Note', 'text', false, '[]'), ('Year', 'number', false, '[]'), ('Due date', 'date', false, '[]'), ('Reviewers', 'person', true, '[]'),
  ('Status', 'choice', false, '[{"name": "Open", "color": "amber"}, {"name": "Done", "color": "green"}]')) as f (name, kind, several, options);
update fields set id = pg_temp.make('editor', 'outer', name, kind, several, options::jsonb)::uuid;
grant select on fields to authenticated;
create function pg_temp.field(name text) returns uuid language sql as $$ select id from fields f where f.name = field.name $$;
create function pg_temp.option(name text) returns uuid language sql as $$ select id from public.field_options o where o.name = option.name $$;
select extensions.is((select count(*)::integer from public.collection_fields), 5, 'an editor creates fields of every kind');
select extensions.matches(pg_temp.make('reader', 'outer', 'X', 'text'), '^42501 You can’t change the', 'a reader cannot create a field');
select extensions.matches(pg_temp.make('outsider', 'outer', 'X', 'text'), '^42501', 'an outsider cannot create a field');
select extensions.matches(pg_temp.make('helper', 'outer', 'X', 'text'), '^42501', 'a guest cannot create a field in the parent of their collection');
select extensions.matches(pg_temp.make('helper', 'inner', 'Extra', 'text'), '^[0-9a-f]{8}-', 'a guest with edit access creates a field');
select extensions.matches(pg_temp.make('editor', 'outer', 'year', 'text'), '^23505 Two fields of a', 'field names are unique');
select extensions.matches(pg_temp.make('editor', 'outer', '  ', 'text'), '^23514 A field or an option needs a name of 1 to 60', 'a field needs a name');
select extensions.matches(pg_temp.make('editor', 'outer', 'a"b', 'text'), '^23514', 'field names cannot have quotation marks');
select extensions.matches(pg_temp.make('editor', 'outer', 'Many', 'number', true), '^23514', 'a number field has a single value');
select extensions.matches(pg_temp.make('editor', 'outer', 'Odd', 'text', false, '[{"name": "x"}]'), '^23514 Only choice fields have', 'a text field has no options');
select extensions.matches(pg_temp.make('editor', 'outer', 'Odd', 'choice', false, '[{"name": "x"}, {"name": "X"}]'), '^23505 Two fields of a', 'option names are unique');
select extensions.matches(pg_temp.make('editor', 'outer', 'Odd', 'choice', false, '[{}]'), '^23514', 'an option needs a name');
select extensions.matches(pg_temp.make('editor', 'outer', 'Odd', 'choice', false,
  (select jsonb_agg(jsonb_build_object('name', n)) from generate_series(1, 101) n)), '^23514 A field can have at most 100', 'a field has at most a hundred options');
select extensions.matches(pg_temp.done('editor', 'insert into public.collection_fields (library_id, collection_id, name, kind) select library, around, ''X'', ''text'' from ids'),
  '^42501 permission', 'fields cannot be inserted directly');
select extensions.lives_ok($$ select pg_temp.make('editor', 'beside', 'f' || n, 'text') from generate_series(1, 30) n $$, 'a collection can have thirty fields');
select extensions.matches(pg_temp.make('editor', 'beside', 'f31', 'text'), '^23514 A collection can have at most 30', 'a collection has at most thirty fields');

-- Seeing fields
select extensions.is(pg_temp.by(person, 'count(*) from public.collection_fields'), expected, person || ' sees ' || expected || ' fields')
  from (values ('reader', '36'), ('guest', '6'), ('outsider', '0')) as p (person, expected);
select extensions.is(pg_temp.by('guest', 'count(*) from public.field_options'), '2', 'a guest sees the options of visible fields');
select extensions.is(pg_temp.by('outsider', 'count(*) from public.field_options'), '0', 'an outsider sees no options');
select extensions.is(pg_temp.by('guest', 'count(*) from public.fields_of((select inside from ids))'), '6', 'fields apply to nested collections');
select extensions.is(pg_temp.by('guest', 'count(*) from public.fields_of((select around from ids))'), '0', 'a guest cannot see the fields of a hidden collection');
select extensions.is(pg_temp.by('reader', 'count(*) from public.fields_of((select around from ids))'), '5', 'fields do not apply to the parent collection');

-- Options, names, order
select extensions.is(pg_temp.by('editor', format('(public.save_field(%L, %L, ''Status'', options => %L)).name', md5('outer')::uuid, pg_temp.field('Status'),
  (select jsonb_agg(jsonb_build_object('id', o.id, 'name', case o.name when 'Open' then 'Done' else 'Open' end, 'color', o.color) order by o.position) from public.field_options o))),
  'Status', 'two options swap names');
select extensions.is((select string_agg(name || ' ' || color, ', ' order by position) from public.field_options), 'Done amber, Open green', 'renamed options keep their color and order');
select extensions.matches(pg_temp.by('helper', format('public.save_field(%L, %L, ''Y'')', md5('inner')::uuid, pg_temp.field('Year'))), '^23503 The field no longer exists.', 'a field cannot be changed through another collection');
select pg_temp.by('editor', format('public.order_fields(%L, array[%L]::uuid[] || array(select id from fields where name <> ''Status''))', md5('outer')::uuid, pg_temp.field('Status')));
select extensions.is((select name from public.collection_fields where collection_id = md5('outer')::uuid order by position limit 1), 'Status', 'fields are reordered');
select extensions.matches(pg_temp.by('reader', format('public.order_fields(%L, ''{}'')', md5('outer')::uuid)), '^42501', 'a reader cannot reorder fields');
select extensions.is(pg_temp.done('reader', 'update public.collection_fields set position = 9'), '0', 'a reader cannot update positions in the table');
select extensions.matches(pg_temp.done('editor', 'update public.collection_fields set ' || change), '^42501', 'the table accepts no other change: ' || change)
  from unnest(array['kind = ''text''', 'takes_several = false', 'collection_id = null']) change;

-- Validation of values
create function pg_temp.set(person text, titles text, field text, value jsonb) returns text
  language sql
as $$
  select pg_temp.by(person, format('public.set_field_value(array(select md5(t)::uuid from string_to_table(%L, '','') t), %L, %L)::text', titles, pg_temp.field(field), value))
$$;
select extensions.is(pg_temp.set('editor', 'O1', field, value::jsonb), '', field || ' accepts ' || value) from (values
  ('Note', '" Written in Vienna "'), ('Year', '1912.5'), ('Due date', '"2026-03-05"')) as v (field, value);
select extensions.is(pg_temp.set('editor', 'O1', 'Reviewers', jsonb_build_array(md5('reader')::uuid, md5('guest')::uuid, md5('guest')::uuid)), '', 'a person field accepts members and guests, without duplicates');
select extensions.is(pg_temp.set('editor', 'O1', 'Status', to_jsonb(pg_temp.option('Open'))), '', 'a choice field accepts an option');
select extensions.is((select text_value || '|' || (select count(*) from public.field_values v where v.document_id = t.document_id)
  from public.field_values t where kind = 'text'), 'Written in Vienna|6', 'text is trimmed, and each value has one row');
select extensions.matches(pg_temp.set('editor', 'O1', field, value::jsonb), '^22023 This field accepts ' || expected, field || ' rejects ' || left(value, 30))
  from (values ('Note', '5', 'text of at most'), ('Note', '"  "', 'text'), ('Note', to_jsonb(repeat('x', 2001))::text, 'text'),
    ('Year', '"1912"', 'a number'), ('Year', '1e16', 'a number'), ('Year', '1e400', 'a number'), ('Year', '[1, 2]', 'one value'),
    ('Due date', '"2026-02-30"', 'a date such as'), ('Due date', '"infinity"', 'a date'), ('Due date', '20260305', 'a date'),
    ('Reviewers', to_jsonb(md5('outsider')::uuid)::text, 'members'), ('Reviewers', '"me"', 'members'), ('Status', '"Open"', 'only its own options'),
    ('Status', '{"id": 1}', 'only its own options')) as v (field, value, expected);
select extensions.matches(pg_temp.set('editor', 'B1', 'Year', '1'), '^23514 This field isn’t in the collection', 'a field of another collection is rejected');
select extensions.matches(pg_temp.set('editor', 'N1', 'Year', '1'), '^23514 This field isn’t in the collection', 'a field is rejected for a document without a collection');
select extensions.is((select count(*)::integer from public.field_values), 6, 'a rejected value keeps the previous one');
select extensions.matches(pg_temp.set(person, 'O2', 'Year', '1'), '^42501 You can’t change all of these', person || ' cannot set a value') from unnest(array['reader', 'helper', 'outsider']) person;
select extensions.matches(pg_temp.set('helper', 'I1,O2', 'Year', '1'), '^42501', 'setting several documents fails if one cannot be edited');
select extensions.is(pg_temp.set('helper', 'I1', 'Year', '1900'), '', 'a guest sets inherited fields in their collection');
select extensions.is(pg_temp.set('editor', 'O2,O3', 'Year', '2001'), '', 'several documents are set together');
select extensions.is(pg_temp.set('editor', 'O3', 'Year', 'null'), '', 'null removes a value');
select extensions.matches(pg_temp.done('editor', 'insert into public.field_values (library_id, document_id, field_id, kind, takes_several, number_value) select library, md5(''O3'')::uuid, pg_temp.field(''Year''), ''number'', false, 1 from ids'),
  '^42501 permission', 'values cannot be inserted directly');
select extensions.throws_ok($$ update public.field_values set number_value = 'NaN' where kind = 'number' $$, '23514', null, 'NaN is rejected');

-- Screens offer exactly the fields that can be filled.
select extensions.is(pg_temp.by(person, format('string_agg(c.name, '','') from public.editable_collections(%L) e join public.collections c on c.id = e', md5('library')::uuid)), expected,
  person || ' can edit through a grant: ' || coalesce(expected, 'nothing'))
  from (values ('helper', 'Inner'), ('guest', null), ('reader', null), ('editor', null), ('outsider', null)) as p (person, expected);

-- Seeing values
select extensions.is(pg_temp.by(person, 'count(*) from public.field_values'), expected, person || ' sees ' || expected || ' values')
  from (values ('reader', '8'), ('guest', '1'), ('outsider', '0')) as p (person, expected);

-- Shelves
create function pg_temp.shelf(person text, filters jsonb, field text default null, descending boolean default false, after jsonb default null, most integer default 100) returns text
  language sql
as $$
  select pg_temp.by(person, format('string_agg(d.title || coalesce('' of '' || s.total, ''''), '' '' order by s.n) from (select row_number() over () as n, s.* from public.shelf_page(%L, %L, %L, ''title'', %L, %L, %s) s) s join public.documents d on d.id = s.document_id',
    md5('library')::uuid, filters, pg_temp.field(field), descending, after, most))
$$;
create function pg_temp.meets(name text, condition jsonb) returns jsonb
  language sql
as $$ select jsonb_build_object('fields', jsonb_build_array(condition || jsonb_build_object('fields', jsonb_build_array(pg_temp.field(name))))) $$;
select extensions.is(pg_temp.shelf('reader', jsonb_build_object('place', md5('outer')::uuid), 'Year'), 'O1 of 3 O2 of 3 O3 of 3', 'a shelf sorts by a field, with missing values last');
select extensions.is(pg_temp.shelf('reader', jsonb_build_object('place', md5('outer')::uuid), 'Year', true), 'O2 of 3 O1 of 3 O3 of 3', 'missing values are last in descending order, too');
select extensions.is(pg_temp.shelf('reader', jsonb_build_object('place', md5('outer')::uuid), 'Year', true, jsonb_build_object('value', 2001, 'id', md5('O2')::uuid)), 'O1 O3', 'the next page starts after the last document');
select extensions.is(pg_temp.shelf('reader', pg_temp.meets(name, condition)), expected || ' of 1', name || ' ' || condition) from (values
  ('Note', '{"words": "vien"}'::jsonb, 'O1'), ('Year', '{"from": 1912.6, "below": 2002}', 'O2'), ('Year', '{"to": 1900}', 'I1'), ('Year', '{"empty": true}', 'O3'),
  ('Due date', '{"from": "2026-01-01", "to": "2026-12-31"}', 'O1'), ('Reviewers', jsonb_build_object('any', jsonb_build_array(md5('guest')::uuid)), 'O1'),
  ('Status', jsonb_build_object('any', jsonb_build_array(pg_temp.option('Open'))), 'O1')) as c (name, condition, expected);
select extensions.is(pg_temp.shelf('guest', pg_temp.meets('Year', '{"to": 3000}')), 'I1 of 1', 'a guest''s shelf has only visible documents');
select extensions.is(pg_temp.shelf('outsider', pg_temp.meets('Year', '{"to": 3000}')), null, 'an outsider''s shelf is empty');
select extensions.matches(pg_temp.shelf('reader', pg_temp.meets('Year', '{}')), '^22023 A condition on a field', 'an empty condition is rejected');
select extensions.is(pg_temp.by('reader', 'string_agg(title, '','') from public.find_documents((select library from ids), ''vienna'')'), 'O1', 'words of a text field find the document');

-- Moving, deleting
select pg_temp.done('editor', format('update public.documents set collection_id = %L where title = ''O1''', md5('beside')::uuid));
select extensions.is(pg_temp.shelf('reader', pg_temp.meets('Note', '{"words": "vien"}')), null, 'a document moved away from a field''s collection does not match the field');
select extensions.is(pg_temp.by('reader', 'count(*) from public.find_documents((select library from ids), ''vienna'')'), '0', 'it is not found by words of the field');
select pg_temp.done('editor', format('update public.documents set collection_id = %L where title = ''O1''', md5('inner')::uuid));
select extensions.is(pg_temp.shelf('reader', pg_temp.meets('Note', '{"words": "vien"}')), 'O1 of 1', 'moving it back restores the values');
select pg_temp.done('editor', format('update public.collections set sort_field_id = %L, sort_descending = true where name = ''Outer''', pg_temp.field('Year')));
select extensions.matches(pg_temp.done('reader', 'delete from public.collection_fields'), '^0$', 'a reader cannot delete a field');
select extensions.is(pg_temp.done('editor', 'delete from public.collection_fields where name = ''Year'''), '1', 'an editor deletes a field');
select extensions.is((select count(*) || ' ' || (select count(*) from public.collections where sort_field_id is not null) from public.field_values where kind = 'number'),
  '0 0', 'deleting a field deletes its values and the sort order');
select pg_temp.by('editor', format('public.save_field(%L, %L, ''Status'', options => ''[]'')::text', md5('outer')::uuid, pg_temp.field('Status')));
select extensions.is((select count(*)::integer from public.field_values where kind = 'choice'), 0, 'deleting an option deletes its values');
delete from public.documents where title = 'O1';
select extensions.is((select count(*)::integer from public.field_values), 0, 'deleting a document deletes its values');

-- Views
select extensions.is(pg_temp.done('guest', 'insert into public.collection_views (library_id, collection_id, columns) select library, inside, ''[]'' from ids'), '1', 'a user saves a view of a collection');
select extensions.matches(pg_temp.done('guest', 'insert into public.collection_views (library_id, collection_id, columns) select library, beside, ''[]'' from ids'), '^42501', 'a view of a hidden collection is rejected');
select extensions.is(pg_temp.by('owner', 'count(*) from public.collection_views'), '0', 'views are private');
select extensions.matches(pg_temp.done('owner', 'insert into public.collection_views (library_id, collection_id, columns) select library, inside, ''{}'' from ids'), '^23514', 'a view must be a list of columns');

select * from extensions.finish();
rollback;
