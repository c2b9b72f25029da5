-- pgaudit has nothing to call: its settings are taken, and nothing is logged.

do $$
begin
  raise warning 'pgaudit: undock does not write an audit log of statements';
end
$$;
