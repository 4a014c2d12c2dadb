import fc from 'fast-check';

// Runs before each file of tests, where TENANTCTL_TEST_SEED is set.
const seed = Number(process.env.TENANTCTL_TEST_SEED);
if (!Number.isInteger(seed)) throw new Error('TENANTCTL_TEST_SEED must be a whole number.');
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
