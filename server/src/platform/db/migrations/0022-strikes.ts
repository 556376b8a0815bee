import { bothEngines } from './words.ts'

/**
 * The routine of migration 10 with strikes that leave out a burst. It stores when a window first refused a call, and a refused call is a
 * strike only if it arrived more than a second later. The routine of migration 10 stays for nodes of the previous release.
 */
const admitRoutine = `
CREATE FUNCTION petstore_admit(
  subjects text[], minutes bigint[], days bigint[], minute_limits bigint[], day_limits bigint[], asked bigint[], costs bigint[],
  first_arrivals bigint[], last_arrivals bigint[],
  OUT minute_before bigint, OUT day_before bigint, OUT admitted bigint, OUT strikes bigint, OUT new_strikes bigint, OUT refused_at bigint
) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
  refusing text;
  refusing_start bigint;
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
    day_before := coalesce(day_before, 0);
    minute_before := coalesce(minute_before, 0);
    admitted := greatest(0, least(asked[i],
      (minute_limits[i] - minute_before) / costs[i], (day_limits[i] - day_before) / costs[i]));
    strikes := 0;
    new_strikes := 0;
    refused_at := 0;
    IF admitted > 0 THEN
      UPDATE rate_counters SET used = used + admitted * costs[i] WHERE subject = subjects[i]
        AND ((period = 'day' AND starts_at = days[i]) OR (period = 'minute' AND starts_at = minutes[i]));
    END IF;
    IF admitted < asked[i] THEN
      IF day_before + (admitted + 1) * costs[i] > day_limits[i] THEN
        refusing := 'day_refused';
        refusing_start := days[i];
      ELSE
        refusing := 'minute_refused';
        refusing_start := minutes[i];
      END IF;
      INSERT INTO rate_counters AS c (subject, period, starts_at, used)
        VALUES (subjects[i], refusing, refusing_start, last_arrivals[i])
        ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used WHERE excluded.used < c.used;
      SELECT used INTO refused_at FROM rate_counters
        WHERE subject = subjects[i] AND period = refusing AND starts_at = refusing_start;
      IF first_arrivals[i] > refused_at + 1000 THEN
        new_strikes := asked[i] - admitted;
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

export const strikes = bothEngines('strikes', ({ routine }) => routine(admitRoutine))
