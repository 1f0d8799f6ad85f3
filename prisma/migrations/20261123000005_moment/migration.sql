-- The clock as a row is written. PostgreSQL puts the body in the place of the call, so it costs
-- nothing; Citus writes with no function that may change within a statement, and there, once the
-- tables are distributed, this one is declared to be stable.
CREATE FUNCTION "moment"() RETURNS timestamptz LANGUAGE sql AS 'SELECT clock_timestamp()';
