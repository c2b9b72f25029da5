-- Errors of the database: each has a code, which clients translate, and an English message for everyone else

/* The only list of codes, whose meaning never changes. `{name}` is replaced by a parameter. Without an SQLSTATE, a problem is only stored. */
create function private.errors() returns table (code text, state text, message text, hint text)
  language sql immutable set search_path = ''
as $$
  values
    -- people
    ('deletion_needs_sign_in', '42501', 'Sign in to delete your account.', null),
    ('deletion_needs_second_factor', '42501', 'Use your second factor to delete this account.',
      'Sign out, sign in with both, then try again.'),
    ('only_owner_of_libraries', '23514', 'You are the only owner of {libraries}.',
      'Make someone else an owner there, or delete the library, then try again.'),
    -- libraries
    ('requiring_needs_second_factor', '42501', 'A second factor can be required only by an owner who has just used one.',
      'Add a second factor under Security, sign in with it, then try again.'),
    ('too_many_members', '23514', 'This library already has 200 members, which is its limit.',
      'Remove someone who no longer needs it, or start a second library.'),
    ('last_owner', '23514', 'A library needs at least one owner.', 'Make someone else an owner first, or delete the library.'),
    ('library_needs_sign_in', '42501', 'Sign in to create a library.', null),
    -- collections
    ('collection_inside_itself', '23514', 'A collection can’t be moved into itself.', null),
    ('collection_too_deep', '23514', 'Collections can be nested up to 20 levels.', 'Put it higher up in the tree.'),
    -- groups
    ('too_many_groups', '23514', 'This library already has 100 groups, which is its limit.', 'Delete a group you no longer need.'),
    ('groups_need_owner', '42501', 'Only an owner of the library can change its groups.', null),
    ('group_gone', '23503', 'The group no longer exists.', 'Someone may have just deleted it.'),
    ('group_name_taken', '23505', 'Two groups in a library can’t have the same name.', null),
    ('group_invalid', '23514', 'A group needs a name of 1 to 80 characters and a description of at most 500.', null),
    ('grantee_invalid', '22023', 'Name a person or a group.', null),
    ('collection_gone', '23503', 'The collection no longer exists.', 'Someone may have just deleted it.'),
    -- documents
    ('document_gone', '23503', 'The document no longer exists.', 'It may be in the trash; restore it first.'),
    ('version_of_another_kind', '23514', 'A note needs text; a file or a link needs a stored file.', null),
    ('file_path_invalid', '23514', 'Files of this document must be stored under {library}/{document}/.', null),
    ('file_not_stored', '23503', 'The file is not in the library''s storage.', 'The upload didn’t finish. Start it again.'),
    ('note_denied', '42501', 'The note doesn’t exist, or you can’t change it.', null),
    ('note_saved_since', 'PT409', 'Someone else has saved this note since you opened it.',
      'Compare both texts, then save again on top of theirs.'),
    ('move_shows_guests', '42501', 'Only an owner can move a collection to a place guests can see.',
      'Ask an owner of the library to move it, or move single documents.'),
    ('cover_path_invalid', '23514', 'Covers of this document must be stored under {library}/{document}/.', null),
    ('cover_not_stored', '23503', 'The cover {path} is not in the library''s storage.', null),
    ('cover_invalid', '23514', 'A cover must be a WebP, JPEG or PNG image of at most {bytes} bytes.', null),
    ('version_denied', '42501', 'The document doesn’t exist, has a newer version, or you can’t edit it.', null),
    ('verified_until_past', '23514', 'Choose a date that isn’t in the past.', null),
    ('verifier_denied', '23514', 'Only people who can see the document can be asked to verify it.', null),
    ('approval_denied', '42501', 'You can’t decide about this change, or someone already has.', null),
    ('approver_denied', '23514', 'Only people who can edit the collection can approve changes in it.', null),
    ('approval_keeps_document', '42501', 'Changes to “{title}” need approval in its collection.',
      'An approver or an owner of the library can move it.'),
    ('approval_keeps_title', '42501', 'Changes to “{title}” need approval, including its title and summary.',
      'Ask an approver or an owner of the library.'),
    ('approval_keeps_collection', '42501', 'Changes in this collection need approval.', 'Only an owner of the library can move or delete it.'),
    ('browser_cover_invalid', '23514', 'A cover made by a browser must be WebP or JPEG of at most {bytes} bytes.', null),
    -- passages
    ('recognition_off', '42501', 'Text recognition is turned off in this library.',
      'An owner of this library can turn on text recognition in its settings.'),
    ('recognition_failed', null, 'The text of this scan couldn’t be recognized. Its pages couldn’t be opened or read in three attempts.', null),
    ('recognition_broke_off', null, 'The text of this scan couldn’t be recognized. Three browsers started and stopped.', null),
    ('page_has_text', '23514', 'Page {page} isn’t one of the document’s pages without text.', null),
    ('page_lines_invalid', '23514',
      'The lines of a page are [{ "text", "size", "y" }]: at most 1,000 lines of 2,000 characters, 64 KB in total.',
      null),
    -- fields
    ('fields_denied', '42501', 'You can’t change the fields of this collection.', null),
    ('too_many_options', '23514', 'A field can have at most 100 options.', null),
    ('too_many_fields', '23514', 'A collection can have at most 30 fields of its own.',
      'Delete one you no longer need, or create a nested collection.'),
    ('field_gone', '23503', 'The field no longer exists.', 'Someone may have just deleted it.'),
    ('field_without_options', '23514', 'Only choice fields have options.', null),
    ('field_name_taken', '23505', 'Two fields of a collection, or two options of a field, can’t have the same name.', null),
    ('field_invalid', '23514',
      'A field or an option needs a name of 1 to 60 characters, without quotation marks. Only people and choices allow several values.',
      null),
    ('too_many_documents_to_set', '54000', 'A field can be set for at most 1,000 documents at once.', null),
    ('documents_denied', '42501', 'You can’t change all of these documents.', null),
    -- reading
    ('reading_broke_off', null, 'Reading this document stopped three times. Make it smaller, or split it and upload the parts.', null),
    ('ingest_not_deployed', null,
      'Documents can’t be read now: the function “ingest” isn’t deployed. The service’s administrator has to deploy it.', null),
    ('ingest_cannot_start', null,
      'Documents can’t be read now: the function “ingest” can’t start. The service’s administrator finds the reason in its log.', null),
    ('ingest_failed', null, 'Documents can’t be read now: the function “ingest” answered with status {status}. '
      'The service’s administrator finds the reason in its log.', null),
    ('ingest_unreachable', null, 'Documents can’t be read now: the function “ingest” can’t be reached. '
      'The service’s administrator has to store its address in the vault as “project_url”.', null),
    -- search
    ('field_condition_invalid', '22023', 'A condition on a field needs values, words or bounds, or must ask for empty fields.', null),
    ('shelf_order_invalid', '22023', 'Order a shelf by created_at, updated_at, title or a field.', null),
    -- comments
    ('comment_of_another', '42501', 'Only its author can edit a comment.', null),
    ('highlight_of_another', '42501', 'Only its author can recolour a highlight.', null),
    -- notes
    ('note_history_replaced', 'PT409', 'The note’s history was replaced.', 'Read its state again, and merge the texts.'),
    ('note_changes_too_many', '54000', 'The note has too many unsaved changes.', 'Save a version.'),
    ('note_version_merged', 'PT409', 'Someone else has merged this version, or saved a newer one.', 'Read the note''s state again.'),
    ('note_saved_meanwhile', 'PT409', 'Someone else saved this note in the meantime.', 'Read the note''s state again, then save.'),
    ('note_changes_too_large', '54000', 'The note’s unsaved changes exceed 32 MB.', 'Save a version.'),
    -- own
    ('too_many_favorites', '23514', 'You already have 500 favorites, which is the limit.', 'Unstar what you no longer need.'),
    -- invitations
    ('invitation_invalid', '42501', 'This invitation can’t be accepted.',
      'It works once, for seven days, for the address it was sent to. Sign in with that address, or ask for a new one.'),
    ('invitations_need_owner', '42501', 'Only an owner of the library can invite people.', null),
    ('already_member', '23505', '{address} is already a member.', null),
    -- share links
    ('sharing_denied', '42501', 'This document can’t be shared by link.',
      'Editors can share documents that aren’t in the trash, unless the library requires a second factor.'),
    ('share_link_revoked', '23514', 'A revoked link can’t be used again.', 'Create a new link.'),
    -- rules
    ('rules_denied', '42501', 'You can’t change the rules of this library.', null),
    ('rule_unreadable', '22023', 'This isn’t a rule: {reason}', null),
    ('too_many_conditions', '23514', 'A rule can have at most 10 conditions.', null),
    ('actions_count_invalid', '23514', 'A rule needs 1 to 10 actions.', null),
    ('condition_incomplete', '22023', 'One of the rule’s conditions is incomplete.', null),
    ('action_incomplete', '22023', 'One of the rule’s actions is incomplete.', null),
    ('too_many_rules', '23514', 'A library can have at most 50 rules.', 'Delete one you no longer need.'),
    ('rule_gone', '23503', 'The rule no longer exists.', 'Someone may have just deleted it.'),
    ('rule_names_missing', '22023', 'The rule refers to something this library doesn’t have.', null),
    ('rule_name_taken', '23505', 'Two rules in a library can’t have the same name.', null),
    ('rule_invalid', '23514', 'A rule needs a name of 1 to 100 characters, and runs when a document is added, moved, or both.', null),
    ('field_of_another_collection', '23514', 'This field isn’t in the collection of these documents.', null),
    ('field_takes_one', '22023', 'This field accepts one value.', null),
    ('too_many_field_values', '22023', 'This field accepts at most 50 values.', null),
    ('field_takes_text', '22023', 'This field accepts text of at most 2,000 characters.', null),
    ('field_takes_number', '22023', 'This field accepts a number.', null),
    ('field_takes_date', '22023', 'This field accepts a date such as 2026-03-05.', null),
    ('field_takes_people', '22023', 'This field accepts members of this library.', null),
    ('field_takes_options', '22023', 'This field accepts only its own options.', null),
    ('rule_denied', '42501', 'The rule doesn’t exist, or you can’t use it.', null),
    ('rule_rests', '22023', 'The rule is paused because something it refers to was deleted.', null),
    ('too_many_documents_for_rule', '54000', 'A rule can be applied to at most 500 documents at once.', null),
    -- file requests
    ('file_request_denied', '42501', 'The file request doesn’t exist, or you can’t change it.', null),
    ('file_request_invalid', '23514', 'A file request needs a title of 1 to 200 characters, a message of at most 2,000, a limit of 1 to 500 files of '
      'at most 50 MB, and an end within a year.', null),
    ('too_many_file_requests', '23514', 'A library can have at most 50 open file requests.', 'Close one you no longer need.'),
    ('file_request_closed', '23514', 'A closed file request can’t be reopened.', 'Create a new one.'),
    ('received_file_decided', '23514', 'This file was already accepted or discarded.', null),
    -- mail in
    ('mail_address_denied', '42501', 'Only owners and editors of the library can create email addresses.', null),
    ('too_many_mail_addresses', '23514', 'A library can have at most 50 email addresses.', 'Delete one you no longer use.'),
    ('mail_address_not_replaceable', '42501', 'The email address doesn’t exist, or you can’t replace it.', null),
    -- retention
    ('legal_hold', '23514', 'A legal hold protects “{title}”: {reason}', 'Owners find holds and rules in the settings of the library.'),
    ('retention_rule', '23514', 'A retention rule keeps “{title}” until {date}.',
      'Owners find holds and rules in the settings of the library.'),
    ('collection_has_retention_rule', '23514', 'This collection has a retention rule.',
      'An owner has to delete the rule first, in the library’s settings.'),
    -- activity
    ('log_is_fixed', '42501', 'Log entries can’t be changed or deleted.', 'They are deleted with their library.'),
    ('export_needs_member', '42501', 'Only members can export a library.', null),
    ('audit_needs_owner', '42501', 'Only an owner of the library can see its audit log.', null),
    ('audit_format_invalid', '22023', 'The log can be exported as csv or jsonl.', 'Choose one of the two.'),
    -- webhooks
    ('webhook_address_invalid', '23514', 'A webhook can’t use this address.',
      'Use an address that starts with https:// and has no password and no #. On your own machine, http://localhost:PORT works too.'),
    ('webhook_events_invalid', '23514', 'Choose at least one event, and only existing ones.',
      'The function webhook_event_types() lists them.'),
    ('too_many_webhooks', '23514', 'A library can have at most 20 webhooks.', 'Delete one you no longer need.'),
    ('webhooks_need_owner', '42501', 'Only an owner of the library can add a webhook.', null),
    ('webhook_denied', '42501', 'Only an owner of the library can change its webhooks.', null),
    ('webhook_off', '23514', 'This webhook is off.', 'Turn it on first.'),
    ('webhook_turned_off', null, 'The webhook was turned off before this could be delivered.', null),
    ('webhook_not_sent', null, 'This wasn’t sent within a day: the function “deliver-webhooks” isn’t running. '
      'The service’s administrator finds the reason in its log.', null),
    -- sign in domains
    ('provider_missing', '23514', 'Set up the identity provider first.', 'Otherwise members couldn’t sign in with the company.'),
    ('sign_in_domain_denied', '42501', 'Only an owner of the library can set up company sign-in.', null),
    ('mail_domain_invalid', '22023', 'This isn’t an email domain.',
      'Use the part after the @ in the company’s email addresses, such as example.org.'),
    ('mail_domain_public', '22023', 'This domain belongs to a public email provider.',
      'Use the domain of your company''s own email addresses.'),
    ('too_many_mail_domains', '23514', 'A library can have at most 20 domains.', 'Remove one you no longer need.'),
    ('mail_domain_taken', '23505', 'This library already has this domain.', 'It is in the list.'),
    -- api keys
    ('keys_need_owner', '42501', 'Only an owner can create keys for a library.', null),
    ('key_scopes_invalid', '22023', 'A key needs one or more of these scopes: {scopes}.', null),
    ('key_days_invalid', '22023', 'A key is valid for 1 to 3,650 days, or until it is revoked.', null),
    ('too_many_keys', '23514', 'This library already has 50 keys, which is its limit.', 'Revoke one you no longer use.'),
    ('key_denied', '42501', 'The key doesn’t exist, or you aren’t an owner of its library.', null),
    ('key_ended', 'PT401', 'This key has expired or was just revoked.', null),
    ('document_denied_to_key', '42501', 'The key can’t change this document.', null)
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
