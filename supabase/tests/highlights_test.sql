-- Highlights of a library: who finds whose, by what, and which of their own people are mailed
begin;
\ir helpers.psql
select plan(40);

select pg_temp.add_people('ann', 'ben', 'gil', 'gus', 'eve', 'max');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('vault')::uuid, 'Vault'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role)
  select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('lab', 'ann', 'owner'), ('lab', 'ben', 'reader'), ('lab', 'gil', 'guest'), ('lab', 'gus', 'guest'), ('lab', 'max', 'editor'),
    ('vault', 'ann', 'owner'), ('other', 'eve', 'owner')) m (library, person, role);
update public.libraries set require_second_factor = true where name = 'Vault';
insert into public.collections (id, library_id, parent_id, name) values
  (md5('sea')::uuid, md5('lab')::uuid, null, 'Sea'), (md5('light')::uuid, md5('lab')::uuid, md5('sea')::uuid, 'Light');
insert into public.collection_grants (library_id, collection_id, user_id, role) values (md5('lab')::uuid, md5('light')::uuid, md5('gil')::uuid, 'reader');
insert into public.documents (id, library_id, collection_id, kind, title) values
  (md5('lamps')::uuid, md5('lab')::uuid, md5('light')::uuid, 'note', 'Lamps of the Straße'), (md5('ropes')::uuid, md5('lab')::uuid, null, 'note', 'Ropes'),
  (md5('safe')::uuid, md5('vault')::uuid, null, 'note', 'Safe');
insert into public.documents (id, library_id, kind, title, deleted_at) values (md5('gone')::uuid, md5('lab')::uuid, 'note', 'Gone', now());
create function pg_temp.mark(person text, document text, quote text, color text default null, body text default '', age interval default '1 hour', parent uuid default null)
  returns void language sql
as $$
  insert into public.comments (id, library_id, document_id, parent_id, quote, color, body, created_by, created_at)
    select md5(coalesce(mark.quote, mark.body))::uuid, d.library_id, d.id, mark.parent, mark.quote, mark.color, mark.body, md5(mark.person)::uuid, now() - mark.age
    from public.documents d where d.id = md5(mark.document)::uuid
$$;
select pg_temp.mark('ann', 'lamps', 'Whale oil café', 'blue', age => '40 days'), pg_temp.mark('ben', 'lamps', 'A keeper'),
  pg_temp.mark('ben', 'ropes', 'Hemp 100%', null, 'Really?', '2 hours'), pg_temp.mark('ann', 'gone', 'Not there'),
  pg_temp.mark('ann', 'safe', 'Secret'), pg_temp.mark('ann', 'ropes', null, null, 'About the whole document'),
  pg_temp.mark('max', 'ropes', 'Knots', 'pink', age => '3 hours'), pg_temp.mark('max', 'ropes', null, null, 'An answer', parent => md5('Hemp 100%')::uuid);

create function pg_temp.found(person text, filter text default '', library text default 'lab', session text default 'aal1') returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(quote, '', '' order by created_at desc) from public.find_highlights(%L%s))', md5(library)::uuid, filter), session)
$$;

-- Who
select extensions.is(pg_temp.found('ann'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'a member finds all, newest first; not what is in the trash, about a whole document, or an answer');
select extensions.is(pg_temp.found('ben'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'a reader, too');
select extensions.is(pg_temp.found('gil'), 'A keeper, Whale oil café', 'a guest those of the collections granted to them');
select extensions.is(pg_temp.found('gus'), null, 'a guest to whom nothing is granted none');
select extensions.is(pg_temp.found('eve'), null, 'a stranger none');
select extensions.matches(pg_temp.found(null), '^42501', 'whoever is not signed in is refused');
select extensions.is(pg_temp.found('ann', library => 'vault'), null, 'none behind a second factor');
select extensions.is(pg_temp.found('ann', library => 'vault', session => 'aal2'), 'Secret', 'except with it');
select extensions.is(pg_temp.found('eve', format(', document => %L', md5('ropes')::uuid), 'other'), null, 'none of another library''s document');
select extensions.is(pg_temp.found('eve', format(', person => %L', md5('ann')::uuid), 'other'), null, 'none of another library''s people');
delete from public.members where user_id = md5('max')::uuid;
select extensions.is(pg_temp.found('max'), null, 'whoever has left finds none, not even their own');
select extensions.is(pg_temp.found('ben'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'which stay');
select extensions.matches(pg_temp.done('ben', 'update public.comments set color = ''pink'' where quote = ''Whale oil café'''), '^0$', 'a reader changes nobody else''s');

-- By what
select extensions.is(pg_temp.found('ben', format(', person => %L', md5('ben')::uuid)), 'A keeper, Hemp 100%', 'by a person');
select extensions.is(pg_temp.found('ben', ', color => ''yellow'''), 'A keeper', 'by a colour; the first stands for none, and not for a comment');
select extensions.is(pg_temp.found('ben', ', color => ''comment'''), 'Hemp 100%', 'those with a comment');
select extensions.is(pg_temp.found('ben', format(', collection => %L', md5('sea')::uuid)), 'A keeper, Whale oil café', 'of a collection and of those inside it');
select extensions.is(pg_temp.found('ben', format(', document => %L', md5('ropes')::uuid)), 'Hemp 100%, Knots', 'of a document');
select extensions.is(pg_temp.found('ben', format(', since => %L', now() - interval '30 days')), 'A keeper, Hemp 100%, Knots', 'of a time');
select extensions.is(pg_temp.found('ben', ', words => ''CAFE oil'''), 'Whale oil café', 'by words, whatever their accents, case and order');
select extensions.is(pg_temp.found('ben', ', words => ''strasse keeper'''), 'A keeper', 'also of the title');
select extensions.is(pg_temp.found('ben', ', words => ''really'''), 'Hemp 100%', 'and of the comment');
select extensions.is(pg_temp.found('ben', ', words => ''%'''), 'A keeper, Hemp 100%, Knots, Whale oil café', 'signs are no words');
select extensions.is(pg_temp.found('ben', ', words => ''oil keeper'''), null, 'all of the words');
select extensions.is(pg_temp.found('ben', format(', max_results => 1, before_time => %L, before_id => %L', now() - interval '1 hour', md5('A keeper')::uuid)), 'Hemp 100%', 'page by page');

-- By mail. Ben has been told of the answer.
delete from private.due_mails;
create function pg_temp.taken() returns text
  language sql
as $$
  select concat_ws(' ', mail ->> 'email', (select string_agg(concat_ws('/', h ->> 'library', h ->> 'title', h ->> 'quote'), ', ') from jsonb_array_elements(mail -> 'highlights') h))
  from (select public.take_notification_mail() as mail) t where mail is not null
$$;
create function pg_temp.end_all() returns void
  language sql
as $$ select public.end_notification_mail(id) from private.notification_mails $$;
/* A mail of a time that comes. */
create function pg_temp.after(wait interval) returns text
  language sql
as $$
  update private.mailed_highlights set mailed_at = mailed_at - wait;
  update private.highlight_mails set due_at = now() where due_at > now();
  select pg_temp.taken()
$$;
select pg_temp.done('ben', 'insert into public.notification_settings (mention) values (''daily'')');
select extensions.is((select count(*)::integer from private.highlight_mails), 0, 'nobody who has not asked for them is mailed');
select extensions.matches(pg_temp.done('ben', 'update public.notification_settings set highlights = ''at_once'''), '^23514', 'at once makes no sense');
select pg_temp.done('ben', 'update public.notification_settings set highlights = ''weekly'''), pg_temp.done('ann', 'insert into public.notification_settings (highlights) values (''weekly'')');
select extensions.is((select count(*)::integer from private.highlight_mails where due_at > now()), 2, 'whoever asks is, on the next Monday');
select extensions.is(pg_temp.taken(), null, 'not before');
update private.highlight_mails set due_at = now() where user_id = md5('ann')::uuid;
select extensions.is(pg_temp.taken(), 'ann@example.org Lab/Lamps of the Straße/Whale oil café', 'of one''s own; not of the trash, nor of what needs a second factor');
select pg_temp.end_all();
select extensions.is(pg_temp.after('1 day'), null, 'in no mail before it is a week old');
update public.comments set created_at = created_at - interval '8 days' where body in ('', 'Really?') and created_by = md5('ben')::uuid;
select extensions.is(pg_temp.after('0 days'), 'ben@example.org Lab/Lamps of the Straße/A keeper, Lab/Ropes/Hemp 100%', 'in none twice before its time');
select pg_temp.end_all();
delete from private.highlight_mails where user_id = md5('ann')::uuid;
select pg_temp.mark('ben', 'ropes', 'Rope ' || n, age => n * interval '10 days') from generate_series(1, 5) n;
select extensions.is(pg_temp.after('3 days'), 'ben@example.org Lab/Ropes/Rope 5, Lab/Ropes/Rope 4, Lab/Ropes/Rope 3, Lab/Ropes/Rope 2, Lab/Ropes/Rope 1', 'five, those that waited the longest first');
select pg_temp.end_all();
select extensions.is(pg_temp.after('4 days'), null, 'none before any has waited long enough');
update private.mailed_highlights set mailed_at = mailed_at - interval '6 days';
update private.mailed_highlights set mailed_at = date_trunc('day', mailed_at) + interval '23 hours' where mailed_at::date = current_date - 13;
select extensions.is(pg_temp.after('1 day'), 'ben@example.org Lab/Lamps of the Straße/A keeper, Lab/Ropes/Hemp 100%', 'after two weeks the first return, though hours are missing');
select pg_temp.end_all();
select pg_temp.after('60 days');
update public.documents set deleted_at = now() where title = 'Ropes';
update private.notification_mails set taken_at = now() - interval '6 minutes';
select extensions.is(pg_temp.taken(), 'ben@example.org Lab/Lamps of the Straße/A keeper', 'a mail that was not sent is given out again, without what may not be seen any more');
select pg_temp.end_all();
update private.highlight_mails set due_at = now() - interval '3 days';
select private.maintain_notifications();
select extensions.ok((select due_at > now() from private.highlight_mails), 'where nobody sends them they do not pile up');
update private.highlight_mails set due_at = now();
select public.discard_notification_mails();
select extensions.ok((select due_at > now() from private.highlight_mails), 'without a mail server neither');
select extensions.is(public.unsubscribe((select token from private.unsubscribe_tokens where user_id = md5('ben')::uuid)), true, 'a mail''s token turns them off');
select extensions.is((select count(*)::integer from private.highlight_mails), 0, 'so that there is no next one');

select * from extensions.finish();
rollback;
