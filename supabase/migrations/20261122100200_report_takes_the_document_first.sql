-- A report locked the run before its document, and all others lock the document before the run: a report that came while the
-- passages were stored could end with "deadlock detected", and the run's last state was lost.
create or replace function public.report_ingestion(
  version uuid, state public.ingestion_state, progress integer default 0, message text default null
) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  document uuid;
begin
  select d.id into document from public.documents d join public.versions v on v.document_id = d.id
    where v.id = version for no key update of d;
  update private.ingestion_runs r set reported_at = now() where r.document_id = document;
  update public.documents d set
    state = report_ingestion.state, progress = least(greatest(report_ingestion.progress, 0), 100), state_message = message
  where d.id = document and d.current_version_id = version;
end
$$;
