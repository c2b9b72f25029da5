/*
 * Lets the role `postgres`, which is no superuser on a hosted project, run the few statements for which PostgreSQL demands
 * one and hosted projects do not: event triggers, publications of all tables or of schemas, foreign data wrappers, moving
 * an extension, and the project's own settings of roles and databases.
 *
 * Nothing is decided here. Each such statement becomes a call of the procedure of the schema _undock that checks and runs it
 * (undock/src/database/bootstrap/65_privileged.sql), with the values that PostgreSQL's own parser found. What the procedures
 * do not cover continues to PostgreSQL, which refuses it as always.
 *
 * The version in `create extension … version 'x'` is not demanded: migrations name the version of the day on which they were
 * written, and an installation has one version of an extension.
 *
 * It also closes the ways in which a role that may replicate, as `postgres` may, would make the server load a file or send its
 * data folder: see "Replication" below.
 */
#include "postgres.h"

#include <dlfcn.h>

#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "libpq/auth.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/replnodes.h"
#include "parser/parse_func.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

#define MAX_ARGUMENTS 4

/* The arguments of one procedure's call. */
typedef struct Call
{
	const char *statement;
	int			count;
	Oid			types[MAX_ARGUMENTS];
	Datum		values[MAX_ARGUMENTS];
	char		nulls[MAX_ARGUMENTS];
} Call;

static ProcessUtility_hook_type next_hook = NULL;
static object_access_hook_type next_access_hook = NULL;
static ClientAuthentication_hook_type next_authentication_hook = NULL;
static emit_log_hook_type next_log_hook = NULL;

/* Whether a procedure is being called: where its owner is no superuser, its statement must not become its call again. */
static bool is_calling = false;

static void
add(Call *call, Oid type, Datum value, bool is_null)
{
	Assert(call->count < MAX_ARGUMENTS);
	call->types[call->count] = type;
	call->values[call->count] = value;
	call->nulls[call->count] = is_null ? 'n' : ' ';
	call->count++;
}

static void
add_text(Call *call, const char *value)
{
	add(call, TEXTOID, value ? CStringGetTextDatum(value) : (Datum) 0, value == NULL);
}

/* Adds an array of C strings; no strings are NULL. */
static void
add_texts(Call *call, List *strings)
{
	Datum	   *values;
	int			count = 0;
	ListCell   *cell;

	if (strings == NIL)
	{
		add(call, TEXTARRAYOID, (Datum) 0, true);
		return;
	}
	values = palloc(sizeof(Datum) * list_length(strings));
	foreach(cell, strings)
		values[count++] = CStringGetTextDatum((char *) lfirst(cell));
	add(call, TEXTARRAYOID,
		PointerGetDatum(construct_array(values, count, TEXTOID, -1, false, TYPALIGN_INT)), false);
}

static void
run(Call *call)
{
	int			result;

	is_calling = true;
	PG_TRY();
	{
		SPI_connect();
		result = SPI_execute_with_args(call->statement, call->count, call->types, call->values, call->nulls, false, 0);
		if (result < 0)
			elog(ERROR, "undock_rights: %s", SPI_result_code_string(result));
		SPI_finish();
	}
	PG_FINALLY();
	{
		is_calling = false;
	}
	PG_END_TRY();
}

/* Options as "name=value", the form that the procedures take. */
static List *
assignments(List *options)
{
	List	   *texts = NIL;
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		texts = lappend(texts, psprintf("%s=%s", option->defname, option->arg ? defGetString(option) : "true"));
	}
	return texts;
}

static bool
create_event_trigger(CreateEventTrigStmt *statement)
{
	Call		call = {.statement = "call _undock.create_event_trigger($1, $2, $3, $4)"};
	List	   *tags = NIL;
	ListCell   *cell;

	foreach(cell, statement->whenclause)
	{
		DefElem    *filter = lfirst_node(DefElem, cell);
		ListCell   *tag;

		if (strcmp(filter->defname, "tag") != 0)
			return false;
		foreach(tag, (List *) filter->arg)
			tags = lappend(tags, strVal(lfirst(tag)));
	}
	add_text(&call, statement->trigname);
	add_text(&call, statement->eventname);
	add_texts(&call, tags);
	add(&call, REGPROCEDUREOID, ObjectIdGetDatum(LookupFuncName(statement->funcname, 0, NULL, false)), false);
	run(&call);
	return true;
}

static bool
publish_all_tables(CreatePublicationStmt *statement)
{
	Call		call = {.statement = "call _undock.publish_all_tables($1, $2)"};

	add_text(&call, statement->pubname);
	add_texts(&call, assignments(statement->options));
	run(&call);
	return true;
}

/* The names of the schemas among a publication's objects; `others` gets what remains. */
static List *
schemas_of(List *objects, List **others)
{
	List	   *schemas = NIL;
	ListCell   *cell;

	*others = NIL;
	foreach(cell, objects)
	{
		PublicationObjSpec *object = lfirst_node(PublicationObjSpec, cell);

		if (object->pubobjtype == PUBLICATIONOBJ_TABLES_IN_SCHEMA)
			schemas = lappend(schemas, object->name);
		else if (object->pubobjtype == PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA)
		{
			List	   *path = fetch_search_path(false);

			if (path == NIL)
				ereport(ERROR,
						errcode(ERRCODE_UNDEFINED_SCHEMA),
						errmsg("no schema has been selected for CURRENT_SCHEMA"));
			schemas = lappend(schemas, get_namespace_name(linitial_oid(path)));
		}
		else
			*others = lappend(*others, object);
	}
	return schemas;
}

static void
publish_schemas(char *publication, List *schemas, bool is_replaced)
{
	Call		call = {.statement = "call _undock.publish_schemas($1, $2, $3)"};

	add_text(&call, publication);
	add_texts(&call, schemas);
	add(&call, BOOLOID, BoolGetDatum(is_replaced), false);
	run(&call);
}

static bool
create_wrapper(CreateFdwStmt *statement)
{
	Call		call = {.statement = "call _undock.create_wrapper($1, $2, $3, $4)"};
	Oid			handler = InvalidOid;
	Oid			validator = InvalidOid;
	Oid			validator_arguments[] = {TEXTARRAYOID, OIDOID};
	ListCell   *cell;

	foreach(cell, statement->func_options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (option->arg == NULL)
			continue;
		if (strcmp(option->defname, "handler") == 0)
			handler = LookupFuncName((List *) option->arg, 0, NULL, false);
		else if (strcmp(option->defname, "validator") == 0)
			validator = LookupFuncName((List *) option->arg, 2, validator_arguments, false);
		else
			return false;
	}
	add_text(&call, statement->fdwname);
	add(&call, REGPROCOID, ObjectIdGetDatum(handler), !OidIsValid(handler));
	add(&call, REGPROCOID, ObjectIdGetDatum(validator), !OidIsValid(validator));
	add_texts(&call, assignments(statement->options));
	run(&call);
	return true;
}

static bool
move_extension(AlterObjectSchemaStmt *statement)
{
	Call		call = {.statement = "call _undock.move_extension($1, $2)"};

	if (statement->objectType != OBJECT_EXTENSION)
		return false;
	add_text(&call, strVal(statement->object));
	add_text(&call, statement->newschema);
	run(&call);
	return true;
}

/* Settings with a dot in their name are a project's own; about the others PostgreSQL decides. */
static bool
set_parameter(const char *role, const char *database, VariableSetStmt *statement)
{
	Call		call = {.statement = "call _undock.set_parameter($1, $2, $3, $4)"};
	List	   *values = NIL;

	if (statement->kind != VAR_SET_VALUE && statement->kind != VAR_SET_DEFAULT && statement->kind != VAR_RESET)
		return false;
	if (strchr(statement->name, '.') == NULL)
		return false;
	if (statement->kind == VAR_SET_VALUE)
		values = list_make1(ExtractSetVariableArgs(statement));
	add_text(&call, role);
	add_text(&call, database);
	add_text(&call, statement->name);
	add_texts(&call, values);
	run(&call);
	return true;
}

/* Whether the current user acts for the project in a database that undock prepared. */
static bool
may_ask(void)
{
	Oid			project;

	if (is_calling)
		return false;
	project = get_role_oid("postgres", true);
	return OidIsValid(project) && !superuser() && has_privs_of_role(GetUserId(), project) &&
		OidIsValid(get_namespace_oid("_undock", true));
}

typedef struct Rest
{
	PlannedStmt *planned;
	const char *text;
	ProcessUtilityContext context;
	ParamListInfo parameters;
	QueryEnvironment *environment;
	DestReceiver *destination;
	QueryCompletion *completion;
} Rest;

static void
pass_on(const Rest *rest, Node *statement)
{
	PlannedStmt *planned = rest->planned;

	if (statement != planned->utilityStmt)
	{
		planned = copyObject(planned);
		planned->utilityStmt = statement;
	}
	(next_hook ? next_hook : standard_ProcessUtility)
		(planned, rest->text, true, rest->context, rest->parameters, rest->environment, rest->destination,
		 rest->completion);
}

/* A publication of tables and of schemas: PostgreSQL takes the tables, the procedure the schemas. */
static bool
create_publication(CreatePublicationStmt *statement, const Rest *rest)
{
	List	   *others;
	List	   *schemas;
	CreatePublicationStmt *reduced;

	if (statement->for_all_tables)
		return publish_all_tables(statement);
	schemas = schemas_of(statement->pubobjects, &others);
	if (schemas == NIL)
		return false;
	reduced = copyObject(statement);
	reduced->pubobjects = others;
	pass_on(rest, (Node *) reduced);
	publish_schemas(statement->pubname, schemas, false);
	return true;
}

static bool
alter_publication(AlterPublicationStmt *statement, const Rest *rest)
{
	List	   *others;
	List	   *schemas;

	if (statement->action == AP_DropObjects || statement->for_all_tables)
		return false;
	schemas = schemas_of(statement->pubobjects, &others);
	if (schemas == NIL)
		return false;
	if (others != NIL)
	{
		AlterPublicationStmt *reduced = copyObject(statement);

		reduced->pubobjects = others;
		pass_on(rest, (Node *) reduced);
	}
	publish_schemas(statement->pubname, schemas, statement->action == AP_SetObjects && others == NIL);
	return true;
}

/* Creates the version of an extension that is there, or updates to it. */
static bool
take_present_version(List *options, Node *statement, const Rest *rest)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);
		Node	   *reduced;
		List	  **reduced_options;

		if (strcmp(option->defname, "new_version") != 0)
			continue;
		ereport(NOTICE,
				errmsg("version \"%s\" of the extension is not demanded: the installed version is taken",
					   defGetString(option)));
		reduced = copyObject(statement);
		reduced_options = IsA(reduced, CreateExtensionStmt) ? &((CreateExtensionStmt *) reduced)->options
			: &((AlterExtensionStmt *) reduced)->options;
		*reduced_options = list_delete_nth_cell(*reduced_options, foreach_current_index(cell));
		pass_on(rest, reduced);
		return true;
	}
	return false;
}

#if PG_VERSION_NUM < 160000
/* Roles that a project may use but not change: PostgreSQL's own, and those of the services. */
static bool
is_reserved(const char *name)
{
	return strncmp(name, "pg_", 3) == 0 || strncmp(name, "supabase_", 9) == 0 || strncmp(name, "undock_", 7) == 0 ||
		strcmp(name, "dashboard_user") == 0 || strcmp(name, "pgbouncer") == 0;
}

static void
demand_admin_of(const char *name)
{
	Oid			role = get_role_oid(name, true);

	if (OidIsValid(role) && is_reserved(name) && role != GetUserId() && !is_admin_of_role(GetUserId(), role))
		ereport(ERROR,
				errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("must have admin option on role \"%s\"", name));
}

static void
demand_admin_of_all(List *roles)
{
	ListCell   *cell;

	foreach(cell, roles)
	{
		RoleSpec   *role = lfirst_node(RoleSpec, cell);

		if (role->roletype == ROLESPEC_CSTRING)
			demand_admin_of(role->rolename);
	}
}

/* From version 16 on PostgreSQL itself demands the admin option of a role that is changed, dropped or granted. Before, whoever
 * may create roles can also take the roles that read the machine's files and run its programs. */
static void
check_roles(Node *statement)
{
	ListCell   *cell;

	switch (nodeTag(statement))
	{
		case T_GrantRoleStmt:
			foreach(cell, ((GrantRoleStmt *) statement)->granted_roles)
				demand_admin_of(lfirst_node(AccessPriv, cell)->priv_name);
			break;
		case T_CreateRoleStmt:
			foreach(cell, ((CreateRoleStmt *) statement)->options)
			{
				DefElem    *option = lfirst_node(DefElem, cell);

				if (strcmp(option->defname, "addroleto") == 0)
					demand_admin_of_all((List *) option->arg);
			}
			break;
		case T_AlterRoleStmt:
			demand_admin_of_all(list_make1(((AlterRoleStmt *) statement)->role));
			break;
		case T_AlterRoleSetStmt:
			if (((AlterRoleSetStmt *) statement)->role != NULL)
				demand_admin_of_all(list_make1(((AlterRoleSetStmt *) statement)->role));
			break;
		case T_DropRoleStmt:
			demand_admin_of_all(((DropRoleStmt *) statement)->roles);
			break;
		case T_RenameStmt:
			if (((RenameStmt *) statement)->renameType == OBJECT_ROLE)
				demand_admin_of(((RenameStmt *) statement)->subname);
			break;
		default:
			break;
	}
}
#endif

/* Returns whether the statement was run. */
static bool
run_for_project(Node *statement, const Rest *rest)
{
	switch (nodeTag(statement))
	{
		case T_CreateEventTrigStmt:
			return may_ask() && create_event_trigger((CreateEventTrigStmt *) statement);
		case T_CreatePublicationStmt:
			return may_ask() && create_publication((CreatePublicationStmt *) statement, rest);
		case T_AlterPublicationStmt:
			return may_ask() && alter_publication((AlterPublicationStmt *) statement, rest);
		case T_CreateFdwStmt:
			return may_ask() && create_wrapper((CreateFdwStmt *) statement);
		case T_AlterObjectSchemaStmt:
			return may_ask() && move_extension((AlterObjectSchemaStmt *) statement);
		case T_AlterRoleSetStmt:
			{
				AlterRoleSetStmt *set = (AlterRoleSetStmt *) statement;

				return may_ask() && set->role != NULL &&
					set_parameter(get_rolespec_name(set->role), set->database, set->setstmt);
			}
		case T_AlterDatabaseSetStmt:
			{
				AlterDatabaseSetStmt *set = (AlterDatabaseSetStmt *) statement;

				return may_ask() && set_parameter(NULL, set->dbname, set->setstmt);
			}
		case T_CreateExtensionStmt:
			return may_ask() && take_present_version(((CreateExtensionStmt *) statement)->options, statement, rest);
		case T_AlterExtensionStmt:
			return may_ask() && take_present_version(((AlterExtensionStmt *) statement)->options, statement, rest);
		default:
			return false;
	}
}

static void
on_utility(PlannedStmt *planned, const char *text, bool is_read_only_tree, ProcessUtilityContext context,
		   ParamListInfo parameters, QueryEnvironment *environment, DestReceiver *destination,
		   QueryCompletion *completion)
{
	Rest		rest = {planned, text, context, parameters, environment, destination, completion};

#if PG_VERSION_NUM < 160000
	if (!superuser())
		check_roles(planned->utilityStmt);
#endif
	if (run_for_project(planned->utilityStmt, &rest))
		return;
	(next_hook ? next_hook : standard_ProcessUtility)
		(planned, text, is_read_only_tree, context, parameters, environment, destination, completion);
}

/*
 * Replication. PostgreSQL loads the output plugin of a logical slot from wherever its name says, and lets each role that may
 * replicate name it, in SQL and in a replication command.
 */

static void
demand_known_plugin(const char *name)
{
	static const char *const known[] = {"pgoutput", "test_decoding", "wal2json"};

	for (size_t i = 0; i < lengthof(known); i++)
		if (strcmp(name, known[i]) == 0)
			return;
	ereport(ERROR,
			errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			errmsg("output plugin \"%s\" is not allowed", name),
			errhint("Use pgoutput, test_decoding or wal2json."));
}

/* Stand in for PostgreSQL's functions of these names in a project's database (undock/src/database/bootstrap/65_privileged.sql). */
PG_FUNCTION_INFO_V1(undock_create_logical_slot);
Datum
undock_create_logical_slot(PG_FUNCTION_ARGS)
{
	demand_known_plugin(NameStr(*PG_GETARG_NAME(1)));
	return pg_create_logical_replication_slot(fcinfo);
}

PG_FUNCTION_INFO_V1(undock_copy_logical_slot);
Datum
undock_copy_logical_slot(PG_FUNCTION_ARGS)
{
	demand_known_plugin(NameStr(*PG_GETARG_NAME(3)));
	return pg_copy_logical_replication_slot_a(fcinfo);
}

/* PostgreSQL's own functions, by whatever name and in whatever database they are called. */
static void
on_object_access(ObjectAccessType access, Oid class, Oid object, int part, void *detail)
{
	if (access == OAT_FUNCTION_EXECUTE && (object == F_PG_CREATE_LOGICAL_REPLICATION_SLOT ||
										   object == F_PG_COPY_LOGICAL_REPLICATION_SLOT_NAME_NAME_BOOL_NAME))
		ereport(ERROR,
				errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("permission denied for function %s", get_func_name(object)),
				errhint("Use the function pg_catalog.pg_create_logical_replication_slot of the project's database, or the replication command CREATE_REPLICATION_SLOT."));
	if (next_access_hook)
		next_access_hook(access, class, object, part, detail);
}

/* No hook is for replication commands, but the server writes each to its log, before it runs it. Both settings are therefore
 * fixed in the processes that take such commands. */
static bool logs_commands = false;

static void
on_authentication(Port *port, int status)
{
	if (next_authentication_hook)
		next_authentication_hook(port, status);
	if (!am_walsender)
		return;
	logs_commands = log_replication_commands;
	SetConfigOption("log_replication_commands", "on", PGC_POSTMASTER, PGC_S_OVERRIDE);
	SetConfigOption("log_min_messages", "log", PGC_POSTMASTER, PGC_S_OVERRIDE);
}

static bool
keep_log(int *level, void **extra, GucSource source)
{
	if (am_walsender && *level > ERROR)
		*level = ERROR;
	return true;
}

/* A library that cannot be loaded would end each session of its role or database. */
static bool
refuse_preload(char **names, void **extra, GucSource source)
{
	if (source <= PGC_S_GLOBAL || *names == NULL || **names == '\0')
		return true;
	GUC_check_errcode(ERRCODE_INSUFFICIENT_PRIVILEGE);
	GUC_check_errmsg("permission denied to set parameter \"local_preload_libraries\"");
	return false;
}

static Node *
parsed_command(const char *text)
{
#if PG_VERSION_NUM < 180000
	return replication_parse_result;
#else
	Node	   *command = NULL;
	yyscan_t	scanner;
	/* A refusal empties the context of errors, which is the current one here. */
	MemoryContext context = MemoryContextSwitchTo(MessageContext);

	replication_scanner_init(text, &scanner);
	if (replication_yyparse(&command, scanner) != 0)
		ereport(ERROR, errcode(ERRCODE_SYNTAX_ERROR), errmsg("replication command cannot be read"));
	replication_scanner_finish(scanner);
	MemoryContextSwitchTo(context);
	return command;
#endif
}

static bool
copies_server(Node *command)
{
	switch (nodeTag(command))
	{
		case T_BaseBackupCmd:
#if PG_VERSION_NUM >= 170000
		case T_UploadManifestCmd:
#endif
			return true;
		case T_StartReplicationCmd:
			return ((StartReplicationCmd *) command)->kind == REPLICATION_KIND_PHYSICAL;
		default:
			return false;
	}
}

static void
on_log(ErrorData *error)
{
	if (am_walsender && error->message_id && strcmp(error->message_id, "received replication command: %s") == 0)
	{
		Node	   *command = parsed_command(debug_query_string);

		if (IsA(command, CreateReplicationSlotCmd) && ((CreateReplicationSlotCmd *) command)->plugin)
			demand_known_plugin(((CreateReplicationSlotCmd *) command)->plugin);
		/* The data folder holds the keys of the vault and of TLS, and the passwords of all roles. */
		if (copies_server(command) && strcmp(GetConfigOption("is_superuser", false, false), "on") != 0)
			ereport(ERROR,
					errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("permission denied to copy the server"),
					errdetail("Only superusers may replicate all databases. Logical replication is allowed."));
		error->output_to_server = logs_commands;
	}
	if (next_log_hook)
		next_log_hook(error);
}

static struct config_generic *
setting(const char *name)
{
#if PG_VERSION_NUM >= 160000
	return find_option(name, false, false, ERROR);
#else
	struct config_generic **all = get_guc_variables();

	for (int i = 0; i < GetNumConfigOptions(); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	elog(ERROR, "undock_rights: there is no setting %s", name);
#endif
}

/*
 * The parameter sslkey of a connection (dblink, postgres_fdw, subscriptions) may name an engine of OpenSSL, which is then loaded
 * from wherever its name says. What loads engines is itself one, added once; the library may be linked without any.
 */
static void
remove_engines(void)
{
	const uint64 load_dynamic = 0x400;	/* OPENSSL_INIT_ENGINE_DYNAMIC */
	int			(*init) (uint64, const void *) = dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
	void	   *(*first) (void) = dlsym(RTLD_DEFAULT, "ENGINE_get_first");
	int			(*take_out) (void *) = dlsym(RTLD_DEFAULT, "ENGINE_remove");
	int			(*release) (void *) = dlsym(RTLD_DEFAULT, "ENGINE_free");
	void	   *engine;

	if (!init || !first || !take_out || !release)
		return;
	init(load_dynamic, NULL);
	while ((engine = first()) != NULL)
	{
		if (!take_out(engine))
			ereport(ERROR, errmsg("undock_rights: an engine of OpenSSL cannot be removed"));
		release(engine);
	}
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		ereport(ERROR, errmsg("undock_rights must be loaded by shared_preload_libraries"));
	next_hook = ProcessUtility_hook;
	ProcessUtility_hook = on_utility;
	next_access_hook = object_access_hook;
	object_access_hook = on_object_access;
	next_authentication_hook = ClientAuthentication_hook;
	ClientAuthentication_hook = on_authentication;
	next_log_hook = emit_log_hook;
	emit_log_hook = on_log;
	((struct config_enum *) setting("log_min_messages"))->check_hook = keep_log;
	((struct config_string *) setting("local_preload_libraries"))->check_hook = refuse_preload;
	remove_engines();
}
