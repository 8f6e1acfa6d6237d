/*
 * Preloaded, it shifts the date of a process and of all that it starts by SHIFT_S seconds: the
 * clock and the times of files alike. What only measures, such as sleeping, is left as it is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    static int known;
    static long seconds;
    if (!known) {
        const char *text = getenv("SHIFT_S");
        seconds = text ? atol(text) : 0;
        known = 1;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

static int shifted(int result, struct stat *status) {
    if (result == 0) {
        status->st_atim.tv_sec += shift();
        status->st_mtim.tv_sec += shift();
        status->st_ctim.tv_sec += shift();
    }
    return result;
}

int fstatat(int folder, const char *path, struct stat *status, int flags) {
    return shifted(syscall(SYS_newfstatat, folder, path, status, flags), status);
}

int stat(const char *path, struct stat *status) { return fstatat(AT_FDCWD, path, status, 0); }

int lstat(const char *path, struct stat *status) {
    return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat *status) {
    return shifted(syscall(SYS_fstat, file, status), status);
}

/* Where programs ask for large files by name; on 64-bit Linux both are the same. */
int fstatat64(int, const char *, struct stat64 *, int) __attribute__((alias("fstatat")));
int stat64(const char *, struct stat64 *) __attribute__((alias("stat")));
int lstat64(const char *, struct stat64 *) __attribute__((alias("lstat")));
int fstat64(int, struct stat64 *) __attribute__((alias("fstat")));

static int set_times(int folder, const char *path, const struct timespec times[2], int flags) {
    struct timespec real[2];
    for (int n = 0; times && n < 2; n++) {
        real[n] = times[n];
        if (times[n].tv_nsec != UTIME_NOW && times[n].tv_nsec != UTIME_OMIT)
            real[n].tv_sec -= shift();
    }
    return syscall(SYS_utimensat, folder, path, times ? real : NULL, flags);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    return set_times(folder, path, times, flags);
}

int futimens(int file, const struct timespec times[2]) { return set_times(file, NULL, times, 0); }
