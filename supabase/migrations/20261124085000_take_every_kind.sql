-- The bucket takes every kind of file that the app offers, and filters and rules know their types. Both repeat the table of kinds in
-- supabase/functions/_shared/file-kinds.ts; tests/acceptance/file-kinds.test.ts compares them with it.
update storage.buckets set allowed_mime_types = array[
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/epub+zip', 'application/vnd.oasis.opendocument.text', 'application/rtf', 'message/rfc822', 'multipart/related',
  'text/markdown', 'text/html', 'text/plain', 'text/csv',
  'image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif',
  -- What programs store whose type is found out when it is read: attachments of mails, imported files
  'application/octet-stream'
] where id = 'documents';

create or replace function private.type_patterns(type text) returns text[]
  language sql immutable set search_path = ''
as $$
  select case type
    when 'pdf' then array['application/pdf%']
    when 'word' then array['application/vnd.openxmlformats-officedocument.wordprocessingml.document%']
    when 'document' then array['application/vnd.oasis.opendocument.text%', 'application/rtf%']
    when 'presentation' then array['application/vnd.openxmlformats-officedocument.presentationml.presentation%']
    when 'spreadsheet' then array['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet%']
    when 'book' then array['application/epub+zip%']
    when 'mail' then array['message/rfc822%']
    when 'web' then array['multipart/related%', 'text/html%']
    when 'markdown' then array['text/markdown%']
    when 'text' then array['text/plain%']
    when 'table' then array['text/csv%']
    when 'image' then array['image/png%', 'image/jpeg%', 'image/webp%', 'image/gif%', 'image/avif%'] end
$$;
