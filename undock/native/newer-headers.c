/* Functions that the headers of PostgreSQL 17.12 and its sisters declare and older servers lack, where they are macros or have nothing
 * to check. The server's own come first where it has them. */
#include "postgres.h"
#include "access/htup_details.h"
#include "fmgr.h"

#undef DatumGetHeapTupleHeader
#undef DatumGetHeapTupleHeaderCopy

#define FALLBACK __attribute__((weak, visibility("default")))

FALLBACK HeapTupleHeader DatumGetHeapTupleHeader(Datum value) { return (HeapTupleHeader) PG_DETOAST_DATUM(value); }
FALLBACK HeapTupleHeader DatumGetHeapTupleHeaderCopy(Datum value) { return (HeapTupleHeader) PG_DETOAST_DATUM_COPY(value); }
FALLBACK void heap_datum_check(HeapTupleHeader tuple, TupleDesc description) {}
