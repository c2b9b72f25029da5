export const HELP = `undock: the whole Supabase backend on this machine, without Docker

  undock start   [--workdir DIR] [--exclude NAMES] [--detach]   start the project's backend; until Ctrl-C, or in the background
                 [--ports free] [--host ADDRESS] [--https]      on free ports, for other devices, with a certificate of its own
                 [--db-url URL]                                 on that Postgres instead of one of its own
  undock run     [--workdir DIR] [--ports config|free] -- CMD   a backend in memory around one command, gone with it
  undock status  [--workdir DIR] [-o pretty|env|json]           the URLs and keys of the one that runs; rename a variable
                 [--override-name KEY=NAME]                     with api.url=NEXT_PUBLIC_SUPABASE_URL and the like
  undock stop    [--workdir DIR]                                end it; data stays in supabase/.undock
  undock reset   [--workdir DIR]                                migrations and seed again, from nothing
  undock db test [FILES] [--workdir DIR]                        run the pgTAP files of supabase/tests
  undock db diff [-f NAME] [-s SCHEMAS] [--db-url URL]          what the database has beyond the migrations, as SQL
  undock db dump [--data-only | --role-only] [-f FILE]          structure, rows or roles as SQL; -s SCHEMAS, -x TABLES,
                 [--db-url URL]                                 --keep-comments as in the Supabase CLI
  undock functions new NAME [--workdir DIR]                     a function's first files and its section of config.toml;
                 [--auth apikey|user|none]                      who may call it
  undock logs    [service] [--workdir DIR] [--follow]           what a service wrote

DIR is the folder that holds supabase/ (found upward from here when left out).
NAMES are of rest, auth, storage, realtime, functions, mail, separated by commas.`
