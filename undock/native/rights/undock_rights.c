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
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parse_func.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

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

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		ereport(ERROR, errmsg("undock_rights must be loaded by shared_preload_libraries"));
	next_hook = ProcessUtility_hook;
	ProcessUtility_hook = on_utility;
}
