// Routines of PostgreSQL. On SQLite only one process serves the file, so the service does the same in memory.

/**
 * Decides a batch of calls. For each group it locks the counters of the day and the minute and admits as many calls as both have room for,
 * each completely or not at all. No counter falls behind what a node has seen: after a failover the counters are empty, because they are
 * not logged, and the nodes' requests fill them again. It stores when a window first rejected a call; of the calls that arrive within a
 * second of that, it rejects 200 without a strike. Strikes of the last ten minutes count.
 */
export const admitRoutine = `
CREATE FUNCTION petstore_admit(
  subjects text[], minutes bigint[], days bigint[], minute_limits bigint[], day_limits bigint[], asked bigint[], costs bigint[],
  first_arrivals bigint[], last_arrivals bigint[], minutes_seen bigint[], days_seen bigint[],
  OUT minute_before bigint, OUT day_before bigint, OUT admitted bigint, OUT strikes bigint, OUT new_strikes bigint,
  OUT rejected_at bigint, OUT graced bigint
) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
  is_behind boolean;
  rejecting text;
  rejecting_start bigint;
  spared bigint;
BEGIN
  FOR i IN 1 .. cardinality(subjects) LOOP
    IF asked[i] > 0 THEN
      INSERT INTO rate_counters (subject, period, starts_at, used)
        VALUES (subjects[i], 'day', days[i], 0), (subjects[i], 'minute', minutes[i], 0) ON CONFLICT DO NOTHING;
    END IF;
    SELECT used INTO day_before FROM rate_counters
      WHERE subject = subjects[i] AND period = 'day' AND starts_at = days[i] FOR UPDATE;
    SELECT used INTO minute_before FROM rate_counters
      WHERE subject = subjects[i] AND period = 'minute' AND starts_at = minutes[i] FOR UPDATE;
    is_behind := coalesce(day_before, 0) < days_seen[i] OR coalesce(minute_before, 0) < minutes_seen[i];
    day_before := greatest(day_before, days_seen[i]);
    minute_before := greatest(minute_before, minutes_seen[i]);
    admitted := greatest(0, least(asked[i],
      (minute_limits[i] - minute_before) / costs[i], (day_limits[i] - day_before) / costs[i]));
    strikes := 0;
    new_strikes := 0;
    rejected_at := 0;
    graced := 0;
    IF admitted > 0 OR is_behind THEN
      UPDATE rate_counters SET used = CASE period WHEN 'day' THEN day_before ELSE minute_before END + admitted * costs[i]
        WHERE subject = subjects[i] AND ((period = 'day' AND starts_at = days[i]) OR (period = 'minute' AND starts_at = minutes[i]));
    END IF;
    IF admitted < asked[i] THEN
      IF day_before + (admitted + 1) * costs[i] > day_limits[i] THEN
        rejecting := 'day';
        rejecting_start := days[i];
      ELSE
        rejecting := 'minute';
        rejecting_start := minutes[i];
      END IF;
      INSERT INTO rate_counters AS c (subject, period, starts_at, used)
        VALUES (subjects[i], rejecting || '_rejected', rejecting_start, last_arrivals[i])
        ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used WHERE excluded.used < c.used;
      SELECT used INTO rejected_at FROM rate_counters
        WHERE subject = subjects[i] AND period = rejecting || '_rejected' AND starts_at = rejecting_start;
      spared := 0;
      IF first_arrivals[i] <= rejected_at + 1000 THEN
        graced := coalesce((SELECT used FROM rate_counters
          WHERE subject = subjects[i] AND period = rejecting || '_graced' AND starts_at = rejecting_start), 0);
        spared := greatest(0, least(asked[i] - admitted, 200 - graced));
      END IF;
      IF spared > 0 THEN
        graced := graced + spared;
        INSERT INTO rate_counters (subject, period, starts_at, used)
          VALUES (subjects[i], rejecting || '_graced', rejecting_start, graced)
          ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used;
      END IF;
      new_strikes := asked[i] - admitted - spared;
      IF new_strikes > 0 THEN
        INSERT INTO rate_counters AS c (subject, period, starts_at, used)
          VALUES (subjects[i], 'strike', minutes[i], new_strikes)
          ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = c.used + excluded.used;
      END IF;
      SELECT coalesce(sum(used), 0)::bigint INTO strikes FROM rate_counters
        WHERE subject = subjects[i] AND period = 'strike'
          AND starts_at > minutes[i] - 600000 AND starts_at <= minutes[i];
    END IF;
    RETURN NEXT;
  END LOOP;
END $$`

/**
 * The server's timeline: every promotion and every point-in-time restore starts a higher one. 0 if a managed service does not reveal it,
 * such as Aurora, whose failovers lose nothing.
 */
export const timelineRoutine = `
CREATE FUNCTION petstore_timeline() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name('0/1'), 8))::bit(32)::bigint;
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR object_not_in_prerequisite_state THEN
  RETURN 0;
END $$`
