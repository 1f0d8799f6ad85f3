import { reportFailure } from './cli/failure.ts';
import { serve } from './serve.ts';

try {
  process.exit(await serve(process.env));
} catch (error) {
  reportFailure(error);
  process.exit(1);
}
