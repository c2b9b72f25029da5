-- Errors of the database: each has a code, which clients translate, and an English message for everyone else

/* The only list of codes, whose meaning never changes. `{name}` is replaced by a parameter. Without an SQLSTATE, a problem is only stored. */
create function private.errors() returns table (code text, state text, message text, hint text)
  language sql immutable set search_path = ''
as $$
  values
    -- people
    ('deletion_needs_sign_in', '42501', 'Sign in to delete your account.', null),
    ('deletion_needs_second_factor', '42501', 'Deleting an account that has a second factor takes the second factor.',
      'Sign out, sign in with both, then try again.'),
    ('only_owner_of_libraries', '23514', 'You are the only owner of {libraries}.',
      'Make someone else an owner there, or delete the library, then try again.'),
    -- libraries
    ('requiring_needs_second_factor', '42501', 'A second factor can be required only by an owner who has just used one.',
      'Add a second factor under Security, sign in with it, then try again.'),
    ('too_many_members', '23514', 'This library already has 200 members, which is its limit.',
      'Remove someone who no longer needs it, or start a second library.'),
    ('last_owner', '23514', 'A library keeps at least one owner.', 'Make someone else an owner first, or delete the library.'),
    ('library_needs_sign_in', '42501', 'Sign in to create a library.', null),
    -- collections
    ('collection_inside_itself', '23514', 'A collection cannot be moved into itself.', null),
    ('collection_too_deep', '23514', 'Collections can be nested 20 deep.', 'Put it higher up in the tree.'),
    -- groups
    ('too_many_groups', '23514', 'This library already has 100 groups, which is its limit.', 'Delete a group that is no longer needed.'),
    ('groups_need_owner', '42501', 'Only an owner of the library can change its groups.', null),
    ('group_gone', '23503', 'The group is not there any more.', 'Somebody may have deleted it just now.'),
    ('group_name_taken', '23505', 'Two groups of a library cannot have the same name.', null),
    ('group_invalid', '23514', 'A group has a name of 1 to 80 characters, and a description of at most 500.', null),
    ('grantee_invalid', '22023', 'Name a person or a group.', null),
    ('collection_gone', '23503', 'The collection is not there any more.', 'Somebody may have deleted it just now.'),
    -- documents
    ('document_gone', '23503', 'The document is not there any more.', 'It may be in the trash; restore it first.'),
    ('version_of_another_kind', '23514', 'A note holds text, a file or a link holds a stored file.', null),
    ('file_path_invalid', '23514', 'A file of this document is stored under {library}/{document}/.', null),
    ('file_not_stored', '23503', 'The file is not in the library''s storage.', 'The upload did not finish; start it again.'),
    ('note_denied', '42501', 'The note is not there, or you may not change it.', null),
    ('note_saved_since', 'PT409', 'Someone else has saved this note since you opened it.',
      'Compare both texts, then save again on top of theirs.'),
    ('move_shows_guests', '42501', 'Only an owner can move a collection to where guests see it.',
      'Ask an owner of the library to move it, or move single documents.'),
    ('cover_path_invalid', '23514', 'A cover of this document is stored under {library}/{document}/.', null),
    ('cover_not_stored', '23503', 'The cover {path} is not in the library''s storage.', null),
    ('cover_invalid', '23514', 'A cover is a WebP, JPEG or PNG image of at most {bytes} bytes.', null),
    ('version_denied', '42501', 'The document is not there, has a newer version, or you may not edit it.', null),
    ('verified_until_past', '23514', 'A document is verified until a day that is not over.', null),
    ('verifier_denied', '23514', 'Only somebody who sees the document can be asked to verify it.', null),
    ('approval_denied', '42501', 'You may not decide about this change, or somebody has decided about it meanwhile.', null),
    ('approver_denied', '23514', 'Only people who may edit the collection can approve changes in it.', null),
    ('approval_keeps_document', '42501', 'Changes of “{title}” need approval where it is.',
      'Somebody who may approve them can move it, or an owner of the library.'),
    ('approval_keeps_title', '42501', 'Changes of “{title}” need approval, also of its title and summary.',
      'Ask somebody who may approve them, or an owner of the library.'),
    ('approval_keeps_collection', '42501', 'Changes in this collection need approval.', 'Only an owner of the library can move or delete it.'),
    ('browser_cover_invalid', '23514', 'A cover that a browser makes is WebP or JPEG of at most {bytes} bytes.', null),
    -- passages
    ('recognition_off', '42501', 'Text recognition is turned off in this library.',
      'An owner of this library can turn on text recognition in its settings.'),
    ('recognition_failed', null, 'The text of this scan could not be recognized: three times, its pages could not be opened or read.', null),
    ('recognition_broke_off', null, 'The text of this scan could not be recognized: three browsers that began it broke off.', null),
    ('page_has_text', '23514', 'Page {page} is not one of the document''s pages without text.', null),
    ('page_lines_invalid', '23514',
      'The lines of a page are [{ "text", "size", "y" }]: at most 1,000 lines of 2,000 characters, 64 KB together.',
      null),
    -- fields
    ('fields_denied', '42501', 'You may not change the fields of this collection.', null),
    ('too_many_options', '23514', 'A field has at most 100 options.', null),
    ('too_many_fields', '23514', 'A collection has at most 30 fields of its own.',
      'Delete one that nobody needs, or make a collection inside this one.'),
    ('field_gone', '23503', 'The field is not there any more.', 'Somebody may have deleted it just now.'),
    ('field_without_options', '23514', 'Only a choice has options.', null),
    ('field_name_taken', '23505', 'Two fields of a collection, or two options of a field, cannot have the same name.', null),
    ('field_invalid', '23514',
      'A field and an option have a name of 1 to 60 characters, without quotation marks; only a person or a choice takes several.',
      null),
    ('too_many_documents_to_set', '54000', 'A field is set for at most 1,000 documents at once.', null),
    ('documents_denied', '42501', 'You may not change all of these documents.', null),
    -- reading
    ('reading_broke_off', null, 'Reading this document broke off three times. Make it smaller or split it, then upload the parts.', null),
    ('ingest_not_deployed', null,
      'Documents cannot be read now: the function “ingest” is not deployed. Whoever runs this service deploys it.', null),
    ('ingest_cannot_start', null,
      'Documents cannot be read now: the function “ingest” cannot start. Whoever runs this service finds the reason in its log.', null),
    ('ingest_failed', null, 'Documents cannot be read now: the function “ingest” answered with the status {status}. '
      'Whoever runs this service finds the reason in its log.', null),
    ('ingest_unreachable', null, 'Documents cannot be read now: the function “ingest” cannot be reached. '
      'Whoever runs this service stores its address in the vault as “project_url”.', null),
    -- search
    ('field_condition_invalid', '22023', 'A condition on a field names values, words, bounds or that it is empty.', null),
    ('shelf_order_invalid', '22023', 'A shelf is ordered by created_at, updated_at, title or a field.', null),
    -- comments
    ('comment_of_another', '42501', 'Only its author can change the words of a comment.', null),
    ('highlight_of_another', '42501', 'Only its author can change the colour of a highlight.', null),
    -- notes
    ('note_history_replaced', 'PT409', 'The note has begun another history of its text.', 'Read its state again, and merge the texts.'),
    ('note_changes_too_many', '54000', 'The note has too many changes that are in no version.', 'Save a version.'),
    ('note_version_merged', 'PT409', 'Someone else has merged this version, or saved a newer one.', 'Read the note''s state again.'),
    ('note_saved_meanwhile', 'PT409', 'Someone else has saved this note meanwhile.', 'Read the note''s state again, then save.'),
    ('note_changes_too_large', '54000', 'The changes of the note that are in no version have more than 32 MB.', 'Save a version.'),
    -- own
    ('too_many_favorites', '23514', 'You already have 500 favorites, which is the limit.', 'Remove the star from what you no longer need.'),
    -- invitations
    ('invitation_invalid', '42501', 'This invitation cannot be accepted.',
      'It works once, for seven days, for the address it was sent to. Sign in with that address, or ask for a new one.'),
    ('invitations_need_owner', '42501', 'Only an owner of the library can invite people.', null),
    ('already_member', '23505', '{address} is a member already.', null),
    -- share links
    ('sharing_denied', '42501', 'This document cannot be shared by a link.',
      'Editors share what is not in the trash, unless the library requires a second factor.'),
    ('share_link_revoked', '23514', 'A revoked link cannot be made to work again.', 'Make a new link.'),
    -- rules
    ('rules_denied', '42501', 'You may not change the rules of this library.', null),
    ('rule_unreadable', '22023', 'This is no rule: {reason}', null),
    ('too_many_conditions', '23514', 'A rule has at most 10 conditions.', null),
    ('actions_count_invalid', '23514', 'A rule has 1 to 10 actions.', null),
    ('condition_incomplete', '22023', 'A condition of the rule is not complete.', null),
    ('action_incomplete', '22023', 'An action of the rule is not complete.', null),
    ('too_many_rules', '23514', 'A library has at most 50 rules.', 'Delete one that nobody needs.'),
    ('rule_gone', '23503', 'The rule is not there any more.', 'Somebody may have deleted it just now.'),
    ('rule_names_missing', '22023', 'The rule names something that this library does not have.', null),
    ('rule_name_taken', '23505', 'Two rules of a library cannot have the same name.', null),
    ('rule_invalid', '23514', 'A rule has a name of 1 to 100 characters, and begins when a document is added, or moved, or both.', null),
    ('field_of_another_collection', '23514', 'This field does not belong to the collection of these documents.', null),
    ('field_takes_one', '22023', 'This field takes one value.', null),
    ('too_many_field_values', '22023', 'This field takes at most 50 values.', null),
    ('field_takes_text', '22023', 'This field takes a text of at most 2,000 characters.', null),
    ('field_takes_number', '22023', 'This field takes a number.', null),
    ('field_takes_date', '22023', 'This field takes a date such as 2026-03-05.', null),
    ('field_takes_people', '22023', 'This field takes people of this library.', null),
    ('field_takes_options', '22023', 'This field takes options of its own.', null),
    ('rule_denied', '42501', 'The rule is not there, or you may not use it.', null),
    ('rule_rests', '22023', 'The rule rests, because something that it names is gone.', null),
    ('too_many_documents_for_rule', '54000', 'A rule is applied to at most 500 documents at once.', null),
    -- file requests
    ('file_request_denied', '42501', 'The request for files is not there, or you may not make or change it.', null),
    ('file_request_invalid', '23514', 'A request for files has a title of 1 to 200 characters, words of at most 2,000, takes 1 to 500 files of '
      'at most 50 MB, and ends within a year.', null),
    ('too_many_file_requests', '23514', 'A library has at most 50 open requests for files.', 'Close one that is not needed any more.'),
    ('file_request_closed', '23514', 'A closed request for files stays closed.', 'Make a new one.'),
    ('received_file_decided', '23514', 'This file has been taken or discarded already.', null),
    -- mail in
    ('mail_address_denied', '42501', 'Only owners and editors of the library make mail addresses.', null),
    ('too_many_mail_addresses', '23514', 'A library has at most 50 mail addresses.', 'End one that nobody uses any more.'),
    ('mail_address_not_replaceable', '42501', 'The mail address is not there, or you may not replace it.', null),
    -- retention
    ('legal_hold', '23514', 'A legal hold keeps “{title}”: {reason}', 'Owners find holds and rules in the settings of the library.'),
    ('retention_rule', '23514', 'A retention rule keeps “{title}” until {date}.',
      'Owners find holds and rules in the settings of the library.'),
    ('collection_has_retention_rule', '23514', 'A retention rule holds for this collection.',
      'An owner deletes the rule first, in the settings of the library.'),
    -- activity
    ('log_is_fixed', '42501', 'Entries of the log are neither changed nor deleted.', 'They end with their library.'),
    ('export_needs_member', '42501', 'Only members export a library.', null),
    ('audit_needs_owner', '42501', 'Only an owner of the library can see its audit log.', null),
    ('audit_format_invalid', '22023', 'The log is exported as csv or jsonl.', 'Choose one of the two.'),
    -- webhooks
    ('webhook_address_invalid', '23514', 'This is no address that a webhook can have.',
      'It begins with https:// and has no password and no #. To try it on your own machine, http://localhost:PORT is possible, too.'),
    ('webhook_events_invalid', '23514', 'A webhook is told of one event at least, and of events that there are.',
      'Choose from those that webhook_event_types() lists.'),
    ('too_many_webhooks', '23514', 'A library has 20 webhooks at most.', 'Delete one that is not needed any more.'),
    ('webhooks_need_owner', '42501', 'Only an owner of the library can add a webhook.', null),
    ('webhook_denied', '42501', 'Only an owner of the library can do this to a webhook.', null),
    ('webhook_off', '23514', 'This webhook is off.', 'Turn it on first.'),
    ('webhook_turned_off', null, 'The webhook was turned off before this could be delivered.', null),
    ('webhook_not_sent', null, 'This was not sent within a day: the function “deliver-webhooks” does not run. '
      'Whoever runs this service finds the reason in its log.', null),
    -- sign in domains
    ('provider_missing', '23514', 'Set up the identity provider first.', 'Members could not sign in with the company before.'),
    ('sign_in_domain_denied', '42501', 'Only an owner of the library can set up the sign-in by a company.', null),
    ('mail_domain_invalid', '22023', 'This is no mail domain.',
      'It is what stands after the @ in the company''s mail addresses, for example example.org.'),
    ('mail_domain_public', '22023', 'This domain belongs to a mail provider for everybody.',
      'Use the domain of your company''s own mail addresses.'),
    ('too_many_mail_domains', '23514', 'A library has 20 domains at most.', 'Remove one that is not needed any more.'),
    ('mail_domain_taken', '23505', 'This library has this domain already.', 'It is in the list.'),
    -- api keys
    ('keys_need_owner', '42501', 'Only an owner makes keys of a library.', null),
    ('key_scopes_invalid', '22023', 'A key has one of these scopes or several: {scopes}.', null),
    ('key_days_invalid', '22023', 'A key lasts 1 to 3,650 days, or until it is revoked.', null),
    ('too_many_keys', '23514', 'This library already has 50 keys, which is its limit.', 'Revoke one that nothing uses any more.'),
    ('key_denied', '42501', 'The key is not there, or you are not an owner of its library.', null),
    ('key_ended', 'PT401', 'This key has just been revoked, or has expired.', null),
    ('document_denied_to_key', '42501', 'The key may not change this document.', null)
$$;
grant execute on function private.errors to authenticated, service_role, api_key;

/* Returns a problem as it is stored and sent: { code, message, parameters }. */
create function private.problem(code text, parameters jsonb default null) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object('code', e.code, 'parameters', problem.parameters, 'message', (
    -- In one pass, so that braces in a parameter stay as they are.
    select string_agg(coalesce(part[1], problem.parameters ->> part[2], ''), '' order by n)
    from regexp_matches(e.message, '([^{]+|\{)|\{(\w+)\}', 'g') with ordinality as m (part, n)
  )))
  from private.errors() e where e.code = problem.code
$$;
grant execute on function private.problem to authenticated, service_role, api_key;

/* Raises an error of this list, with { code, parameters } as JSON in DETAIL. */
create function private.refuse(code text, parameters jsonb default null) returns void
  language plpgsql set search_path = ''
as $$
declare
  error record;
  problem constant jsonb := private.problem(refuse.code, refuse.parameters);
begin
  select * into strict error from private.errors() e where e.code = refuse.code;
  if error.hint is null then
    raise exception using errcode = error.state, message = problem ->> 'message', detail = problem - 'message';
  end if;
  raise exception using errcode = error.state, message = problem ->> 'message', detail = problem - 'message', hint = error.hint;
end
$$;
grant execute on function private.refuse to authenticated, service_role, api_key;

/* Returns what private.refuse() has raised; null for other errors. PL/pgSQL, because SQL may evaluate all branches, and some DETAILs aren't
   JSON. */
create function private.refusal(detail text, message text) returns jsonb
  language plpgsql immutable set search_path = ''
as $$
begin
  if (detail is json object) is not true then return null; end if;
  if not detail::jsonb ? 'code' then return null; end if;
  return detail::jsonb || jsonb_build_object('message', message);
end
$$;
grant execute on function private.refusal to authenticated;
